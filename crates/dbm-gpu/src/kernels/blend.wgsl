// out = of_first first + of_second second, value by value.

struct Shape {
    count: u32,
    of_first: f32,
    of_second: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> first: array<f32>;
@group(0) @binding(2) var<storage, read> second: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let i = (group.y * groups.x + group.x) * 256u + thread;
    if i < shape.count {
        out[i] = shape.of_first * first[i] + shape.of_second * second[i];
    }
}

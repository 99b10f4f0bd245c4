// The values of one layer of chains, of each another one's, times what it counts, unit by unit.

struct Shape {
    rows: u32,
    units: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> ancestors: array<u32>; // [rows]
@group(0) @binding(2) var<storage, read> times: array<f32>;     // [rows]
@group(0) @binding(3) var<storage, read> values: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let groups_a_row = (shape.units + 63u) / 64u;
    let number = group.y * groups.x + group.x;
    let row = number / groups_a_row;
    let unit = number % groups_a_row * 64u + thread;
    if unit < shape.units && row < shape.rows {
        out[row * shape.units + unit] = times[row] * values[ancestors[row] * shape.units + unit];
    }
}

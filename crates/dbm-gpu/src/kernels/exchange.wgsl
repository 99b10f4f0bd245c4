// Chains of two batches change places where that is accepted: their values of one layer, unit by unit.

struct Shape {
    rows: u32,
    units: u32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> accepted: array<u32>; // [rows]
@group(0) @binding(2) var<storage, read_write> some: array<f32>;
@group(0) @binding(3) var<storage, read_write> others: array<f32>;

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
    if unit >= shape.units || row >= shape.rows || accepted[row] == 0u {
        return;
    }
    let place = row * shape.units + unit;
    let value = some[place];
    some[place] = others[place];
    others[place] = value;
}

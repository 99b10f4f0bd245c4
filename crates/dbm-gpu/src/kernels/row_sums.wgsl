// out += scale times a sum over a layer's units, chain by chain: of states times values, or of the logs of what single units sum to given their fields. A workgroup a chain, its threads' sums
// added as a tree.

struct Shape {
    rows: u32,
    units: u32,
    shared_values: u32, // 1 where the values are one row for all chains
    begins: u32,        // 1 where out begins at 0
    logs: u32,          // 1: of log(e^(low a) + e^(high a)), a being a value; 0: of states times values
    first: u32,         // where the chains of out begin
    scale: f32,
    low: f32,
    high: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> states: array<f32>;
@group(0) @binding(2) var<storage, read> values: array<f32>;
@group(0) @binding(3) var<storage, read_write> out: array<f32>;

const THREADS = 256u;

var<workgroup> sums: array<f32, THREADS>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let row = group.y * groups.x + group.x;
    if row >= shape.rows {
        return;
    }
    var sum = 0.0;
    for (var unit = thread; unit < shape.units; unit += THREADS) {
        let value = values[select(row * shape.units + unit, unit, shape.shared_values == 1u)];
        if shape.logs == 1u {
            let apart = (shape.high - shape.low) * value;
            sum += shape.low * value + max(apart, 0.0) + log(1.0 + exp(-abs(apart)));
        } else {
            sum += states[row * shape.units + unit] * value;
        }
    }
    sums[thread] = sum;
    for (var width = THREADS / 2u; width > 0u; width /= 2u) {
        workgroupBarrier();
        if thread < width {
            sums[thread] += sums[thread + width];
        }
    }
    if thread == 0u {
        let place = shape.first + row;
        var before = out[place];
        if shape.begins == 1u {
            before = 0.0;
        }
        out[place] = before + shape.scale * sums[0];
    }
}

// out += alpha left right, or out = start + alpha left right with start a row for all, a row each, or 0: [rows, inputs] times [inputs, outputs]. Either factor is read as it lies or transposed, so
// that one copy of the weights serves the fields of both layers, and states serve as they are for outer products. The left factor and the result are columns of wider matrices, where the
// right one is a block of rows of the weights.
//
// A workgroup makes 64 x 64 values, a thread 4 x 4 of them, from 16 inputs at a time. Each value is a sum in the order of the inputs.

struct Shape {
    first_row: u32,
    rows: u32,             // those before first_row included
    inputs: u32,
    outputs: u32,
    left_transposed: u32,  // 1 where left lies as [inputs, rows]
    left_width: u32,
    left_first: u32,       // its first column
    right_transposed: u32, // 1 where right lies as [outputs, inputs]
    out_width: u32,
    out_first: u32,        // its first column, and that of start
    begins: u32,           // 0: adds to out; 1: begins with start, a row; 2: begins with 0; 3: begins with start, which lies as out
    alpha: f32,
}

@group(0) @binding(0) var<uniform> shape: Shape;
@group(0) @binding(1) var<storage, read> left_values: array<f32>;
@group(0) @binding(2) var<storage, read> right_values: array<f32>;
@group(0) @binding(3) var<storage, read> start: array<f32>;
@group(0) @binding(4) var<storage, read_write> out: array<f32>;

const TILE = 64u;
const DEPTH = 16u;
const THREADS = 256u;

var<workgroup> some_left: array<f32, TILE * DEPTH>;  // [DEPTH, TILE]
var<workgroup> some_right: array<f32, TILE * DEPTH>; // [DEPTH, TILE]

fn left(row: u32, input: u32) -> f32 {
    if row >= shape.rows || input >= shape.inputs {
        return 0.0;
    }
    if shape.left_transposed == 1u {
        return left_values[input * shape.left_width + shape.left_first + row];
    }
    return left_values[row * shape.left_width + shape.left_first + input];
}

fn right(input: u32, output: u32) -> f32 {
    if input >= shape.inputs || output >= shape.outputs {
        return 0.0;
    }
    if shape.right_transposed == 1u {
        return right_values[output * shape.inputs + input];
    }
    return right_values[input * shape.outputs + output];
}

@compute @workgroup_size(16, 16)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_id) here: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let tiles = (shape.outputs + TILE - 1u) / TILE;
    let tile = group.y * groups.x + group.x;
    let first_row = shape.first_row + tile / tiles * TILE;
    let first_output = tile % tiles * TILE;
    if first_row >= shape.rows {
        return;
    }
    // A row of four values each.
    var sums_0 = vec4<f32>();
    var sums_1 = vec4<f32>();
    var sums_2 = vec4<f32>();
    var sums_3 = vec4<f32>();
    for (var first = 0u; first < shape.inputs; first += DEPTH) {
        // Neighbouring threads read neighbouring values, whichever way a factor lies.
        for (var piece = thread; piece < TILE * DEPTH; piece += THREADS) {
            let across = piece / DEPTH;
            let deep = piece % DEPTH;
            if shape.left_transposed == 1u {
                some_left[piece] = left(first_row + piece % TILE, first + piece / TILE);
            } else {
                some_left[deep * TILE + across] = left(first_row + across, first + deep);
            }
            if shape.right_transposed == 1u {
                some_right[deep * TILE + across] = right(first + deep, first_output + across);
            } else {
                some_right[piece] = right(first + piece / TILE, first_output + piece % TILE);
            }
        }
        workgroupBarrier();
        for (var deep = 0u; deep < DEPTH; deep++) {
            let l = deep * TILE + here.y * 4u;
            let r = deep * TILE + here.x * 4u;
            let across = vec4<f32>(some_right[r], some_right[r + 1u], some_right[r + 2u], some_right[r + 3u]);
            sums_0 += some_left[l] * across;
            sums_1 += some_left[l + 1u] * across;
            sums_2 += some_left[l + 2u] * across;
            sums_3 += some_left[l + 3u] * across;
        }
        workgroupBarrier();
    }
    var sums = array<vec4<f32>, 4>(sums_0, sums_1, sums_2, sums_3);
    for (var i = 0u; i < 4u; i++) {
        for (var j = 0u; j < 4u; j++) {
            let row = first_row + here.y * 4u + i;
            let output = first_output + here.x * 4u + j;
            if row < shape.rows && output < shape.outputs {
                let place = row * shape.out_width + shape.out_first + output;
                var before = 0.0;
                if shape.begins == 0u {
                    before = out[place];
                } else if shape.begins == 1u {
                    before = start[shape.out_first + output];
                } else if shape.begins == 3u {
                    before = start[place];
                }
                out[place] = before + shape.alpha * sums[i][j];
            }
        }
    }
}

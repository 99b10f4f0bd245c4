// Put before kernels that leave clamped units alone. Theirs is `rule`, of which these are `rows`, `units` and `clamped`: 0 where nothing of the layer is clamped, 1 where the bits say, and 2 where all is.

@group(0) @binding(1) var<storage, read> fields: array<f32>;
@group(0) @binding(2) var<storage, read> clamped: array<u32>; // a bit a unit, [rows, units / 32 rounded up]

fn is_clamped(row: u32, unit: u32) -> bool {
    if rule.clamped != 1u {
        return rule.clamped == 2u;
    }
    let words = (rule.units + 31u) / 32u;
    return ((clamped[row * words + unit / 32u] >> (unit % 32u)) & 1u) == 1u;
}


// means = low + (high - low) sigma((high - low) field), unit by unit; a clamped unit's mean is its value.

struct Rule {
    rows: u32,
    units: u32,
    clamped: u32,
    low: f32,
    high: f32,
}

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(3) var<storage, read> states: array<f32>;
@group(0) @binding(4) var<storage, read_write> means: array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= rule.units || id.y >= rule.rows {
        return;
    }
    let place = id.y * rule.units + id.x;
    if is_clamped(id.y, id.x) {
        means[place] = states[place];
        return;
    }
    let gap = rule.high - rule.low;
    means[place] = rule.low + gap / (1.0 + exp(-clamp(gap * fields[place], -87.0, 87.0)));
}

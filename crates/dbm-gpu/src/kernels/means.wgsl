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
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let groups_a_row = (rule.units + 63u) / 64u;
    let number = group.y * groups.x + group.x;
    let row = number / groups_a_row;
    let unit = number % groups_a_row * 64u + thread;
    if unit >= rule.units || row >= rule.rows {
        return;
    }
    let place = row * rule.units + unit;
    if is_clamped(row, unit) {
        means[place] = states[place];
        return;
    }
    let gap = rule.high - rule.low;
    means[place] = rule.low + gap / (1.0 + exp(-clamp(gap * fields[place], -87.0, 87.0)));
}

// Half a sweep of a layer: each unit is drawn given its field, or as a fair coin, or set to the minimum of its energy. Four units a thread, which is what one counter gives.
//
// Chains that begin with odd layers start one half-sweep later, so that all chains update the same layers at the same time.

struct Rule {
    rows: u32,
    units: u32,
    draws: u32,  // 0: the minimum; 1: Gibbs; 2: coins
    number: u32, // of this half-sweep
    count: u32,  // half-sweeps of a chain
    layer: u32,
    stage: u32,  // of what is drawn: tells half-sweeps of the same number apart
    clamped: u32,
    key: vec2<u32>,
    low: f32,
    high: f32,
}

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(3) var<storage, read> delays: array<u32>;  // [rows]: 1 where a chain begins with odd layers
@group(0) @binding(4) var<storage, read_write> states: array<f32>;
@group(0) @binding(5) var<storage, read_write> flips: array<atomic<u32>>; // [half-sweeps, rows], of a search alone

const MULTIPLIERS = vec2<u32>(0xd2511f53u, 0xcd9e8d57u);
const WEYL = vec2<u32>(0x9e3779b9u, 0xbb67ae85u);

/// The high word of a product; the low one is `a * b`.
fn high_word(a: u32, b: u32) -> u32 {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let first = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let second = (a & 0xffffu) * (b >> 16u) + (first & 0xffffu);
    return (a >> 16u) * (b >> 16u) + (first >> 16u) + (second >> 16u);
}

fn philox(counter: vec4<u32>, key: vec2<u32>) -> vec4<u32> {
    var c = counter;
    var k = key;
    for (var round = 0u; round < 10u; round++) {
        let high_0 = high_word(MULTIPLIERS.x, c.x);
        let high_1 = high_word(MULTIPLIERS.y, c.z);
        c = vec4<u32>(high_1 ^ c.y ^ k.x, MULTIPLIERS.y * c.z, high_0 ^ c.w ^ k.y, MULTIPLIERS.x * c.x);
        k += WEYL;
    }
    return c;
}

@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let groups_a_row = (rule.units + 255u) / 256u;
    let group_number = group.y * groups.x + group.x;
    let row = group_number / groups_a_row;
    let four = group_number % groups_a_row * 64u + thread;
    if four * 4u >= rule.units || row >= rule.rows {
        return;
    }
    let number = rule.number - delays[row]; // wraps where it has not begun
    if number >= rule.count {
        return;
    }
    var words = vec4<u32>();
    if rule.draws > 0u {
        words = philox(vec4<u32>(four, row, (rule.stage << 24u) | rule.number, rule.layer), rule.key);
    }
    var flipped = 0u;
    for (var i = 0u; i < 4u; i++) {
        let unit = four * 4u + i;
        if unit >= rule.units || is_clamped(row, unit) {
            continue;
        }
        let place = row * rule.units + unit;
        let field = fields[place];
        var is_high = field >= 0.0;
        if rule.draws == 1u {
            let uniform_draw = f32((words[i] >> 8u) + 1u) / 16777216.0;
            is_high = uniform_draw * (1.0 + exp(-clamp((rule.high - rule.low) * field, -87.0, 87.0))) <= 1.0;
        }
        if rule.draws == 2u {
            is_high = (words[i] >> 31u) == 1u;
        }
        let value = select(rule.low, rule.high, is_high);
        flipped += u32(value != states[place]);
        states[place] = value;
    }
    if rule.draws == 0u && flipped > 0u {
        atomicAdd(&flips[rule.number * rule.rows + row], flipped);
    }
}

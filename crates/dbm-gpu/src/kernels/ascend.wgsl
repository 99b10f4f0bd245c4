// One step of the optimizer up the gradient, parameter by parameter: SGD with momentum, Adam, AMSGrad.

struct Rule {
    count: u32,
    first_parameter: u32, // of what is bound: where the gradient begins
    method: u32,          // 0: SGD; 1: SGD with momentum; 2: Adam; 3: AMSGrad
    rate: f32,
    momentum: f32,
    beta1: f32,
    beta2: f32,
    epsilon: f32,
    weight_decay: f32,
    first_correction: f32,
    second_correction: f32,
}

@group(0) @binding(0) var<uniform> rule: Rule;
@group(0) @binding(1) var<storage, read> gradient: array<f32>; // [count]
@group(0) @binding(2) var<storage, read_write> values: array<f32>;
@group(0) @binding(3) var<storage, read_write> first: array<f32>;
@group(0) @binding(4) var<storage, read_write> second: array<f32>;
@group(0) @binding(5) var<storage, read_write> largest: array<f32>;

@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) thread: u32,
) {
    let number = (group.y * groups.x + group.x) * 256u + thread;
    if number >= rule.count {
        return;
    }
    let i = rule.first_parameter + number;
    let g = gradient[number] - rule.weight_decay * values[i];
    if rule.method == 0u {
        values[i] += rule.rate * g;
        return;
    }
    if rule.method == 1u {
        first[i] = rule.momentum * first[i] + g;
        values[i] += rule.rate * first[i];
        return;
    }
    first[i] = rule.beta1 * first[i] + (1.0 - rule.beta1) * g;
    second[i] = rule.beta2 * second[i] + (1.0 - rule.beta2) * g * g;
    var peak = second[i];
    if rule.method == 3u {
        peak = max(largest[i], peak);
        largest[i] = peak;
    }
    values[i] += rule.rate * (first[i] * rule.first_correction) / (sqrt(peak * rule.second_correction) + rule.epsilon);
}

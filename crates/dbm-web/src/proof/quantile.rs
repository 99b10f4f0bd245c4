//! How wide a confidence interval is, in standard errors.

/// Coefficients of Acklam's rational approximations of the normal quantile: relative error below 1.2e-9.
const A: [f64; 6] = [
    -39.696_830_286_653_76,
    220.946_098_424_520_5,
    -275.928_510_446_968_7,
    138.357_751_867_269,
    -30.664_798_066_147_16,
    2.506_628_277_459_239,
];
const B: [f64; 6] =
    [-54.476_098_798_224_06, 161.585_836_858_040_9, -155.698_979_859_886_6, 66.801_311_887_719_72, -13.280_681_552_885_72, 1.0];
const C: [f64; 6] = [
    -0.007_784_894_002_430_293,
    -0.322_396_458_041_136_5,
    -2.400_758_277_161_838,
    -2.549_732_539_343_734,
    4.374_664_141_464_968,
    2.938_163_982_698_783,
];
const D: [f64; 5] = [0.007_784_695_709_041_462, 0.322_467_129_070_039_8, 2.445_134_137_142_996, 3.754_408_661_907_416, 1.0];

fn polynomial(coefficients: &[f64], x: f64) -> f64 {
    coefficients.iter().fold(0.0, |sum, coefficient| sum * x + coefficient)
}

/// The value that a standard normal variable exceeds with probability `tail`, in `(0, 1/2]`.
fn normal(tail: f64) -> f64 {
    if tail < 0.02425 {
        let q = (-2.0 * tail.ln()).sqrt();
        -polynomial(&C, q) / polynomial(&D, q)
    } else {
        let q = 0.5 - tail;
        q * polynomial(&A, q * q) / polynomial(&B, q * q)
    }
}

/// The value that the size of a variable of Student's t distribution exceeds with probability `beyond`, in `(0, 1)`: Hill's algorithm (1970, CACM 396).
pub fn student(beyond: f64, freedom: f64) -> f64 {
    use std::f64::consts::{FRAC_PI_2, PI};
    if freedom < 1.0 {
        return f64::INFINITY;
    }
    if freedom < 2.0 {
        return (PI * beyond / 2.0).tan().recip();
    }
    if freedom < 3.0 {
        return (2.0 / (beyond * (2.0 - beyond)) - 2.0).sqrt();
    }
    let n = freedom;
    let a = 1.0 / (n - 0.5);
    let b = 48.0 / (a * a);
    let mut c = ((20700.0 * a / b - 98.0) * a - 16.0) * a + 96.36;
    let d = ((94.5 / (b + c) - 3.0) / b + 1.0) * (a * FRAC_PI_2).sqrt() * n;
    let mut y = (d * beyond).powf(2.0 / n);
    if y > 0.05 + a {
        let x = -normal(beyond / 2.0);
        y = x * x;
        if n < 5.0 {
            c += 0.3 * (n - 4.5) * (x + 0.6);
        }
        c += (((0.05 * d * x - 5.0) * x - 7.0) * x - 2.0) * x + b;
        y = (((((0.4 * y + 6.3) * y + 36.0) * y + 94.5) / c - y - 3.0) / b + 1.0) * x;
        y = (a * y * y).exp_m1();
    } else {
        y = ((1.0 / (((n + 6.0) / (n * y) - 0.089 * d - 0.822) * (n + 2.0) * 3.0) + 0.5 / (n + 4.0)) * y - 1.0) * (n + 1.0)
            / (n + 2.0)
            + 1.0 / y;
    }
    (n * y).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantiles_are_those_of_the_tables() {
        // Two-sided 1 %, from the tables of the normal and of Student's distribution.
        for (freedom, value) in
            [(1.0, 63.657), (2.0, 9.925), (3.0, 5.841), (4.0, 4.604), (5.0, 4.032), (9.0, 3.250), (30.0, 2.750)]
        {
            let got = student(0.01, freedom);
            assert!((got / value - 1.0).abs() < 1e-3, "{freedom}: {got} for {value}");
        }
        assert!((normal(0.005) - 2.575_829).abs() < 1e-5 && (normal(0.1) - 1.281_552).abs() < 1e-5);
        assert!((student(0.01, 1e7) - normal(0.005)).abs() < 1e-4);
        // Simultaneous for 27 parameters: 0.01 / 27 beyond, and more with few groups.
        assert!((student(0.01 / 27.0, 999.0) - 3.572).abs() < 0.01, "{}", student(0.01 / 27.0, 999.0));
        assert_eq!(student(0.01, 0.0), f64::INFINITY);
    }
}

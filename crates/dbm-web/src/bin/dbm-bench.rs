//! The benchmark.

fn main() {
    dbm_web::benchmark();
}

//! The lab.

fn main() {
    dbm_web::lab();
}

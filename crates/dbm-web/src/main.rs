//! The page's program.

fn main() {
    dbm_web::mount();
}

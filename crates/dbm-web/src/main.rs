//! The program that runs the page.

fn main() {
    dbm_web::mount();
}

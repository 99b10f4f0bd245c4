//! The second program of the lab: two runs side by side, Coupling and Proof.

fn main() {
    dbm_web::study();
}

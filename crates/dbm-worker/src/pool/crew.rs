//! The coordinator's helpers: whether there are any, what they were told, and what is to go out to them.

use super::{Letter, Order, Session};

/// After so many losses the coordinator works alone.
const TRIES: u32 = 3;

/// What is to be done outside of this worker.
#[derive(Debug, PartialEq)]
pub enum Post {
    /// Bring up this many helpers and say [`Crew::came_up`].
    Hire(usize),
    /// End all helpers.
    Dismiss,
    /// An order to helpers 1 up to this number, it excluded.
    Order(usize, Order),
    /// A letter to the same.
    Letter(usize, Letter),
}

#[derive(Default)]
pub struct Crew {
    /// Replicas that there may be, the coordinator included; no more than one is a coordinator alone.
    most: usize,
    /// Seconds that a step takes one worker from which on it is shared.
    pays_from: f64,
    state: State,
    /// Replicas that there are helpers for, there or coming.
    hired: usize,
    losses: u32,
    session: u32,
    posts: Vec<Post>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    None,
    Coming,
    Up,
}

impl Crew {
    pub fn new(most: usize, pays_from: f64) -> Self {
        Self { most, pays_from, ..Self::default() }
    }

    pub fn pays_from(&self) -> f64 {
        self.pays_from
    }

    /// How many replicas a run can have, the coordinator included.
    pub fn most(&self) -> usize {
        if self.losses < TRIES { self.most.max(1) } else { 1 }
    }

    /// Whether there are helpers for a run on `of` replicas; asks for them where there are not.
    pub fn is_up(&mut self, of: usize) -> bool {
        let of = of.min(self.most());
        if self.state != State::None && self.hired < of {
            self.posts.push(Post::Dismiss);
            self.state = State::None;
        }
        if self.state == State::None && of > 1 {
            (self.state, self.hired) = (State::Coming, of);
            self.posts.push(Post::Hire(of - 1));
        }
        self.state == State::Up
    }

    /// All helpers listen.
    pub fn came_up(&mut self) {
        self.state = State::Up;
    }

    /// One of them is gone, and with it the rest.
    pub fn lost(&mut self) {
        self.state = State::None;
        self.losses += 1;
        self.posts.push(Post::Dismiss);
    }

    /// Has helpers join a run; its number is given by this crew.
    pub fn join(&mut self, mut session: Session) -> u32 {
        self.session += 1;
        session.number = self.session;
        self.order(session.of, Order::Join(Box::new(session)));
        self.session
    }

    /// An order to those who share a run on `of` replicas.
    pub fn order(&mut self, of: usize, order: Order) {
        self.posts.push(Post::Order(of, order));
    }

    /// Letters to them.
    pub fn send(&mut self, of: usize, letters: Vec<Letter>) {
        self.posts.extend(letters.into_iter().map(|letter| Post::Letter(of, letter)));
    }

    /// Whether anything is to go out.
    pub fn has_posts(&self) -> bool {
        !self.posts.is_empty()
    }

    /// What is to go out, in its order.
    pub fn take_posts(&mut self) -> Vec<Post> {
        std::mem::take(&mut self.posts)
    }
}

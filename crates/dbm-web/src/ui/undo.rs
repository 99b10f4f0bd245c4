//! Edits that can be taken back, and made again.

use web_sys::KeyboardEvent;

/// Edits that are kept.
const MOST: usize = 200;

/// What was there before each edit, and what was there when one was taken back, the latest last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits<T> {
    past: Vec<T>,
    future: Vec<T>,
}

impl<T: Clone + PartialEq> Edits<T> {
    /// Begins an edit of what is there now.
    pub fn begin(&mut self, now: &T) {
        if self.past.last() != Some(now) {
            if self.past.len() == MOST {
                self.past.remove(0);
            }
            self.past.push(now.clone());
        }
    }

    /// Ends an edit; one that changed nothing is forgotten, and after any other there is nothing to make again.
    pub fn end(&mut self, now: &T) {
        if self.past.last() == Some(now) {
            self.past.pop();
        } else {
            self.future.clear();
        }
    }

    /// Whether there is an edit to take back.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is one to make again.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Takes the last edit back.
    pub fn undo(&mut self, now: &mut T) {
        if let Some(before) = self.past.pop() {
            self.future.push(std::mem::replace(now, before));
        }
    }

    /// Makes it again.
    pub fn redo(&mut self, now: &mut T) {
        if let Some(after) = self.future.pop() {
            self.past.push(std::mem::replace(now, after));
        }
    }
}

/// Whether a press asks for the last edit back (`true`) or again: Control Z, Control Shift Z and Control Y; nothing where it asks
/// for something else.
pub fn asked(event: &KeyboardEvent) -> Option<bool> {
    if !(event.ctrl_key() || event.meta_key()) || event.alt_key() {
        return None;
    }
    match (event.key().to_ascii_lowercase().as_str(), event.shift_key()) {
        ("z", false) => Some(true),
        ("z", true) | ("y", _) => Some(false),
        _ => None,
    }
}

//! Edits that can be undone and redone.

use web_sys::KeyboardEvent;

/// Most edits that are kept.
const MOST: usize = 200;

/// The state before each edit, and the state before each undo, latest last.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edits<T> {
    past: Vec<T>,
    future: Vec<T>,
}

impl<T: Clone + PartialEq> Edits<T> {
    /// Begins an edit of the present state.
    pub fn begin(&mut self, now: &T) {
        if self.past.last() != Some(now) {
            if self.past.len() == MOST {
                self.past.remove(0);
            }
            self.past.push(now.clone());
        }
    }

    /// Ends an edit. An edit that changed nothing is forgotten; any other clears what could be redone.
    pub fn end(&mut self, now: &T) {
        if self.past.last() == Some(now) {
            self.past.pop();
        } else {
            self.future.clear();
        }
    }

    /// Whether there is an edit to undo.
    pub fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    /// Whether there is an edit to redo.
    pub fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Undoes the last edit.
    pub fn undo(&mut self, now: &mut T) {
        if let Some(before) = self.past.pop() {
            self.future.push(std::mem::replace(now, before));
        }
    }

    /// Redoes it.
    pub fn redo(&mut self, now: &mut T) {
        if let Some(after) = self.future.pop() {
            self.past.push(std::mem::replace(now, after));
        }
    }
}

/// Whether a key press asks to undo (`true`) or to redo (`false`): Control Z, Control Shift Z and Control Y; `None` if it asks
/// for neither.
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

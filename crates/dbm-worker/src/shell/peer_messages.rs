//! How messages travel between workers of one pool: as an array of their postcard bytes and the attachments: the bytes that a replica
//! computed, or ports.
//!
//! The bytes that a replica computed are in memory that all workers share, if a worker can create and post such memory; otherwise they are
//! copied for each receiver. Shared memory is only written again when all have read it: every replica's next message of the same kind
//! follows something that the others can only have sent after reading this one.

use crate::pool::{Kind, PeerMessage, PoolMessage};
use dbm_protocol::wire;
use js_sys::{Array, Function, Reflect, Uint8Array};
use std::cell::Cell;
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;
use web_sys::{MessageChannel, MessagePort};

/// Outgoing messages: the shared memory of what was computed, by kind and index.
#[derive(Default)]
pub struct Outbox(BTreeMap<(Kind, usize), Uint8Array>);

impl Outbox {
    /// What is posted for a message; ports are to be added.
    pub fn put(&mut self, message: &PoolMessage) -> Result<Array, String> {
        let parts = Array::of1(&Uint8Array::from(wire::encode(message)?.as_slice()));
        if let PoolMessage::Computed(computed) = message {
            parts.push(&self.shared(computed).unwrap_or_else(|| Uint8Array::from(&computed.bytes[..])));
        }
        Ok(parts)
    }

    fn shared(&mut self, message: &PeerMessage) -> Option<Uint8Array> {
        let (length, place) = (message.bytes.len() as u32, (message.kind, message.index));
        let room = match self.0.get(&place).filter(|room| room.length() >= length) {
            Some(room) => room.clone(),
            None => shared_memory(length.next_power_of_two())?,
        };
        self.0.insert(place, room.clone());
        let bytes = room.subarray(0, length);
        bytes.copy_from(&message.bytes);
        Some(bytes)
    }
}

/// Memory that all workers share, unless this worker cannot create or send it: a page may be isolated while its workers have no such
/// constructor. After one failure it is not tried again.
fn shared_memory(length: u32) -> Option<Uint8Array> {
    thread_local! {
        static FAILED: Cell<bool> = const { Cell::new(false) };
    }
    let make = || -> Result<Uint8Array, JsValue> {
        let constructor: Function = Reflect::get(&js_sys::global(), &"SharedArrayBuffer".into())?.dyn_into()?;
        let room = Uint8Array::new(&Reflect::construct(&constructor, &Array::of1(&length.into()))?);
        MessageChannel::new()?.port1().post_message(&room)?;
        Ok(room)
    };
    let made = if FAILED.get() { None } else { make().ok() };
    FAILED.set(made.is_none());
    made
}

/// A message as received, and its ports; `None` if it is something else.
pub fn read(data: &JsValue) -> Option<(PoolMessage, Vec<MessagePort>)> {
    let parts: &Array = data.dyn_ref()?;
    let bytes = |place| parts.get(place).dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec());
    let mut message = wire::read(&bytes(0)?).ok()?;
    if let PoolMessage::Computed(computed) = &mut message {
        computed.bytes = bytes(1)?;
    }
    Some((message, parts.iter().filter_map(|part| part.dyn_into().ok()).collect()))
}

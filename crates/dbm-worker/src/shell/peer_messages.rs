//! How messages go between workers of one pool: as an array of their bytes in postcard and of what goes beside, the bytes that a replica computed or ports.
//!
//! The bytes that a replica computed are in memory that all workers share, where the page is isolated from other origins, and are copied for each receiver where it is not. Shared memory
//! is written again only when all have read it: every replica's next message of the same kind comes after something that the others can only have sent when they had read this one.

use crate::pool::{Kind, PeerMessage, PoolMessage};
use dbm_protocol::wire;
use js_sys::{Array, Reflect, SharedArrayBuffer, Uint8Array};
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;
use web_sys::MessagePort;

/// Messages on their way out: the shared memory of what was computed, by kind and index.
#[derive(Default)]
pub struct Outbox(BTreeMap<(Kind, usize), Uint8Array>);

impl Outbox {
    /// What is posted for a message; ports are to be added.
    pub fn put(&mut self, message: &PoolMessage) -> Result<Array, String> {
        let parts = Array::of1(&Uint8Array::from(wire::encode(message)?.as_slice()));
        if let PoolMessage::Computed(computed) = message {
            let bytes = if is_isolated() { self.shared(computed) } else { Uint8Array::from(&computed.bytes[..]) };
            parts.push(&bytes);
        }
        Ok(parts)
    }

    fn shared(&mut self, message: &PeerMessage) -> Uint8Array {
        let (length, place) = (message.bytes.len() as u32, (message.kind, message.index));
        let room = self.0.get(&place).filter(|room| room.length() >= length).cloned().unwrap_or_else(|| {
            let room = Uint8Array::new(&SharedArrayBuffer::new(length.next_power_of_two()));
            self.0.insert(place, room.clone());
            room
        });
        let bytes = room.subarray(0, length);
        bytes.copy_from(&message.bytes);
        bytes
    }
}

fn is_isolated() -> bool {
    Reflect::get(&js_sys::global(), &"crossOriginIsolated".into()).is_ok_and(|isolated| isolated.is_truthy())
}

/// A message as it came, and its ports; none where it is something else.
pub fn read(data: &JsValue) -> Option<(PoolMessage, Vec<MessagePort>)> {
    let parts: &Array = data.dyn_ref()?;
    let bytes = |place| parts.get(place).dyn_into::<Uint8Array>().ok().map(|bytes| bytes.to_vec());
    let mut message = wire::read(&bytes(0)?).ok()?;
    if let PoolMessage::Computed(computed) = &mut message {
        computed.bytes = bytes(1)?;
    }
    Some((message, parts.iter().filter_map(|part| part.dyn_into().ok()).collect()))
}

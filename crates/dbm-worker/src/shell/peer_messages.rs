//! What goes between workers of one pool: arrays whose first item says what they are.
//!
//! The bytes of a message are in memory that all workers share, where the page is isolated from other origins, and are copied for each receiver where it is not. Shared memory is written
//! again only when all have read it: every replica's next message of the same kind comes after something that the others can only have sent when they had read this one.

use crate::pool::{Kind, PeerMessage};
use js_sys::{Array, Reflect, SharedArrayBuffer, Uint8Array};
use std::collections::BTreeMap;
use wasm_bindgen::prelude::*;
use web_sys::MessagePort;

const GREETING: f64 = 0.0;
const INTRODUCTION: f64 = 1.0;
const ORDER: f64 = 2.0;
const PEER_MESSAGE: f64 = 3.0;

const KINDS: [Kind; 3] = [Kind::Estimate, Kind::Rows, Kind::Optimizer];

/// Messages on their way out, by kind and index.
#[derive(Default)]
pub struct Outbox(BTreeMap<(usize, usize), Uint8Array>);

impl Outbox {
    /// What is posted for a peer message.
    pub fn put(&mut self, message: &PeerMessage) -> JsValue {
        let kind = KINDS.iter().position(|&kind| kind == message.kind).unwrap_or_default();
        let bytes = if is_isolated() { self.shared(kind, message) } else { Uint8Array::from(&message.bytes[..]) };
        let numbers = [PEER_MESSAGE, f64::from(message.session), message.step as f64, kind as f64, message.index as f64];
        let message: Array = numbers.into_iter().map(JsValue::from).collect();
        message.push(&bytes);
        message.into()
    }

    fn shared(&mut self, kind: usize, message: &PeerMessage) -> Uint8Array {
        let length = message.bytes.len() as u32;
        let room = self.0.get(&(kind, message.index)).filter(|room| room.length() >= length);
        let room = room.cloned().unwrap_or_else(|| {
            let room = Uint8Array::new(&SharedArrayBuffer::new(length.next_power_of_two()));
            self.0.insert((kind, message.index), room.clone());
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

fn tagged(tag: f64, rest: &[&JsValue]) -> JsValue {
    let message = Array::of1(&tag.into());
    rest.iter().for_each(|item| {
        message.push(item);
    });
    message.into()
}

/// The items after the tag, where it is this one.
fn untagged(tag: f64, data: &JsValue) -> Option<Array> {
    let message: &Array = data.dyn_ref()?;
    (message.get(0).as_f64() == Some(tag)).then(|| message.slice(1, message.length()))
}

/// What a helper says first.
pub fn greeting() -> JsValue {
    tagged(GREETING, &[])
}

pub fn is_greeting(data: &JsValue) -> bool {
    untagged(GREETING, data).is_some()
}

/// Which replica a helper is, and its ports to the other helpers.
pub fn introduction(index: usize, ports: &Array) -> JsValue {
    tagged(INTRODUCTION, &[&(index as f64).into(), ports])
}

pub fn read_introduction(data: &JsValue) -> Option<(usize, Vec<MessagePort>)> {
    let items = untagged(INTRODUCTION, data)?;
    let ports: Array = items.get(1).dyn_into().ok()?;
    Some((whole(&items.get(0))?, ports.iter().map(|port| port.dyn_into().ok()).collect::<Option<_>>()?))
}

pub fn order(order: &JsValue) -> JsValue {
    tagged(ORDER, &[order])
}

pub fn read_order(data: &JsValue) -> Option<JsValue> {
    untagged(ORDER, data).map(|items| items.get(0))
}

pub fn message(data: &JsValue) -> Option<PeerMessage> {
    let items = untagged(PEER_MESSAGE, data)?;
    let number = |place| whole(&items.get(place));
    let bytes: Uint8Array = items.get(4).dyn_into().ok()?;
    Some(PeerMessage {
        session: u32::try_from(number(0)?).ok()?,
        step: number(1)? as u64,
        kind: *KINDS.get(number(2)?)?,
        index: number(3)?,
        bytes: bytes.to_vec(),
    })
}

fn whole(value: &JsValue) -> Option<usize> {
    // All that is sent is far below where a number of JavaScript is no longer exact.
    value.as_f64().filter(|&x| x >= 0.0 && x.fract() == 0.0 && x < f64::from(u32::MAX)).map(|x| x as usize)
}

//! The wire format of messages: postcard bytes, which take a fraction of the code that browser objects would, and next to them the one
//! large array that some messages have, which is transferred and not copied.
//!
//! The version comes first and is checked first: bytes of another version have no meaning here.

use crate::{Envelope, VERSION};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// The bytes of a message.
///
/// # Errors
/// None for messages of this crate; in words.
pub fn encode(message: &impl Serialize) -> Result<Vec<u8>, String> {
    postcard::to_allocvec(message).map_err(|error| error.to_string())
}

/// Reverses [`encode`] for a value that is not a message.
///
/// # Errors
/// If they encode something else; in words.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    postcard::from_bytes(bytes).map_err(|error| error.to_string())
}

/// The message in these bytes.
///
/// # Errors
/// If they are of another version, or not such a message; in words, with what to do.
pub fn decode<B: DeserializeOwned>(bytes: &[u8]) -> Result<Envelope<B>, String> {
    match postcard::take_from_bytes::<u32>(bytes) {
        Ok((VERSION, _)) => {}
        Ok((other, _)) => {
            return Err(format!(
                "the other side is of another build: it speaks version {other}, this one {VERSION}. Reload the page without its cache (Ctrl+Shift+R)"
            ));
        }
        Err(_) => return Err("a message was expected, but got something else; reload the page".into()),
    }
    match postcard::take_from_bytes(bytes) {
        Ok((message, [])) => Ok(message),
        Ok((_, rest)) => Err(format!("a message was expected to end, but {} bytes follow it; reload the page", rest.len())),
        Err(error) => Err(format!("a message of this build was expected, but got something else ({error}); reload the page")),
    }
}

pub use browser::{Parcel, pack, pack_with, unpack, unpack_apart};

/// The form in which the browser posts a message: an array of its bytes and its large array, if there is one.
mod browser {
    use super::{decode, encode};
    use crate::{Body, Envelope};
    use js_sys::{Array, Uint8Array};
    use wasm_bindgen::prelude::*;

    /// What to post, and what to transfer with it.
    pub struct Parcel {
        /// The posted value: an array.
        pub message: JsValue,
        /// The memory of its arrays, to transfer.
        pub transfer: JsValue,
    }

    /// Packs a message that contains its large array.
    ///
    /// # Errors
    /// Those of [`encode`].
    pub fn pack(mut message: Envelope<impl Body>) -> Result<Parcel, String> {
        let bulk = message.body.bulk().filter(|bulk| !bulk.is_empty()).map(std::mem::take);
        let bulk = bulk.map(|bytes| Uint8Array::from(bytes.as_slice()));
        let body = Uint8Array::from(encode(&message)?.as_slice());
        let transfer = Array::of1(&body.buffer());
        let parts = Array::of1(&body);
        if let Some(bulk) = bulk {
            transfer.push(&bulk.buffer());
            parts.push(&bulk);
        }
        Ok(Parcel { message: parts.into(), transfer: transfer.into() })
    }

    /// Packs a message whose large array is elsewhere and stays there: the browser copies it.
    ///
    /// # Errors
    /// Those of [`encode`].
    pub fn pack_with(message: &Envelope<impl Body>, bulk: Option<&Uint8Array>) -> Result<Parcel, String> {
        let body = Uint8Array::from(encode(message)?.as_slice());
        let parts = Array::of1(&body);
        if let Some(bulk) = bulk {
            parts.push(bulk);
        }
        Ok(Parcel { message: parts.into(), transfer: Array::of1(&body.buffer()).into() })
    }

    /// A message, and its large array where the browser holds it.
    ///
    /// # Errors
    /// Those of [`decode`].
    pub fn unpack_apart<B: Body>(data: &JsValue) -> Result<(Envelope<B>, Option<Uint8Array>), String> {
        let part = |place| data.dyn_ref::<Array>().and_then(|parts| parts.get(place).dyn_into::<Uint8Array>().ok());
        let body = part(0).ok_or("a message was expected, but got something else; reload the page")?;
        Ok((decode(&body.to_vec())?, part(1)))
    }

    /// A message that contains its large array.
    ///
    /// # Errors
    /// Those of [`decode`].
    pub fn unpack<B: Body>(data: &JsValue) -> Result<Envelope<B>, String> {
        let (mut message, bulk) = unpack_apart::<B>(data)?;
        if let (Some(place), Some(bulk)) = (message.body.bulk(), bulk) {
            *place = bulk.to_vec();
        }
        Ok(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Command, DiagnosticsCommand, DiagnosticsEvent, Event, FilesCommand, FilesEvent, Reply};

    #[test]
    fn what_is_no_message_of_this_build_is_an_error() {
        let request = Envelope::new(Some(7), Command::Cancel(3));
        let bytes = encode(&request).unwrap();
        assert_eq!(decode::<Command>(&bytes), Ok(request.clone()));
        let other = encode(&Envelope { version: VERSION + 1, ..request }).unwrap();
        assert!(decode::<Command>(&other).unwrap_err().contains("another build"));
        assert_eq!(read::<Command>(&encode(&Command::Train).unwrap()), Ok(Command::Train));
        assert!(read::<Command>(&[]).is_err());
        for end in 0..bytes.len() {
            assert!(decode::<Command>(&bytes[..end]).is_err());
        }
        let more = [&bytes[..], &[0]].concat();
        assert!(decode::<Command>(&more).unwrap_err().contains("1 bytes follow"));
        for byte in 0..=255 {
            let bytes = [VERSION as u8, 1, byte, byte, byte, byte];
            let _ = decode::<Command>(&bytes);
            let _ = decode::<Reply<Event>>(&bytes);
            let _ = decode::<FilesCommand>(&bytes);
            let _ = decode::<Reply<FilesEvent>>(&bytes);
            let _ = decode::<DiagnosticsCommand>(&bytes);
            let _ = decode::<Reply<DiagnosticsEvent>>(&bytes);
        }
    }
}

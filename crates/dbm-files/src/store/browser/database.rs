//! Runs in an `IndexedDB` database, one entry per file with the key `folder/file`. Every write is a transaction, so it is stored completely
//! or not at all.

use super::js_error::words;
use js_sys::{Array, Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{IdbDatabase, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransaction, IdbTransactionMode};

const FILES: &str = "files";

pub struct Database(IdbDatabase);

impl Database {
    pub async fn open(name: &str) -> Result<Self, String> {
        Self::try_open(name).await.map_err(|problem| words(&problem))
    }

    async fn try_open(name: &str) -> Result<Self, JsValue> {
        let factory =
            dbm_protocol::transport::scope().indexed_db()?.ok_or_else(|| JsValue::from("this browser has none here"))?;
        let request = factory.open_with_u32(name, 1)?;
        let asked = request.clone();
        let make = Closure::once_into_js(move || -> Result<(), JsValue> {
            let database: IdbDatabase = asked.result()?.unchecked_into();
            database.create_object_store(FILES).map(|_| ())
        });
        request.set_onupgradeneeded(Some(make.unchecked_ref()));
        let database: IdbDatabase = answer(&request).await?.unchecked_into();
        Ok(Self(database))
    }

    pub async fn folders(&self) -> Result<Vec<String>, JsValue> {
        let keys: Array = answer(&self.files(IdbTransactionMode::Readonly)?.1.get_all_keys()?).await?.unchecked_into();
        let keys = keys.iter().filter_map(|key| key.as_string());
        let mut folders: Vec<String> = keys.filter_map(|key| Some(key.split_once('/')?.0.to_string())).collect();
        folders.dedup(); // keys come sorted
        Ok(folders)
    }

    pub async fn read(&self, folder: &str, file: &str, most: usize) -> Result<Option<Vec<u8>>, JsValue> {
        let (_, files) = self.files(IdbTransactionMode::Readonly)?;
        let found = answer(&files.get(&format!("{folder}/{file}").into())?).await?;
        Ok(found.dyn_into::<Uint8Array>().ok().map(|bytes| bytes.subarray(0, bytes.length().min(most as u32)).to_vec()))
    }

    pub async fn write(&self, folder: &str, file: &str, parts: &[&[u8]]) -> Result<(), JsValue> {
        let bytes = Uint8Array::new_with_length(parts.iter().map(|part| part.len() as u32).sum());
        let mut at = 0;
        for part in parts {
            let end = at + part.len() as u32;
            bytes.subarray(at, end).copy_from(part);
            at = end;
        }
        let (transaction, files) = self.files(IdbTransactionMode::Readwrite)?;
        files.put_with_key(&bytes, &format!("{folder}/{file}").into())?;
        done(&transaction).await
    }

    pub async fn delete(&self, folder: &str) -> Result<(), JsValue> {
        let (transaction, files) = self.files(IdbTransactionMode::Readwrite)?;
        // "0" comes after "/".
        let range = IdbKeyRange::bound_with_lower_open_and_upper_open(
            &format!("{folder}/").into(),
            &format!("{folder}0").into(),
            false,
            true,
        )?;
        files.delete(&range)?;
        done(&transaction).await
    }

    fn files(&self, mode: IdbTransactionMode) -> Result<(IdbTransaction, IdbObjectStore), JsValue> {
        let transaction = self.0.transaction_with_str_and_mode(FILES, mode)?;
        let files = transaction.object_store(FILES)?;
        Ok((transaction, files))
    }
}

/// The result of a request.
async fn answer(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let asked = request.clone();
    JsFuture::from(Promise::new(&mut |resolve, reject| {
        let (gives, asked_too) = (asked.clone(), asked.clone());
        let good = Closure::once_into_js(move || resolve.call1(&JsValue::NULL, &gives.result().unwrap_or_default()).map(|_| ()));
        let bad = Closure::once_into_js(move || reject.call1(&JsValue::NULL, &why(asked_too.error().ok().flatten())).map(|_| ()));
        request.set_onsuccess(Some(good.unchecked_ref()));
        request.set_onerror(Some(bad.unchecked_ref()));
    }))
    .await
}

/// Waits until a transaction is complete; only then are its writes permanent.
async fn done(transaction: &IdbTransaction) -> Result<(), JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        let asked = transaction.clone();
        let good = Closure::once_into_js(move || resolve.call0(&JsValue::NULL).map(|_| ()));
        let bad = Closure::once_into_js(move || reject.call1(&JsValue::NULL, &why(asked.error())).map(|_| ()));
        transaction.set_oncomplete(Some(good.unchecked_ref()));
        transaction.set_onabort(Some(bad.unchecked_ref()));
    });
    JsFuture::from(promise).await.map(|_| ())
}

fn why(error: Option<web_sys::DomException>) -> JsValue {
    error.map_or_else(|| JsValue::from("the database gave no reason"), JsValue::from)
}

//! The visitor's files, interpreted but not yet binary; and their encoding.
//!
//! [`File`]s become a [`Raw`], once and with everything checked; an [`Encoding`] turns it into a [`Dataset`](crate::Dataset), as often as
//! the visitor moves a slider. The encoding that a model was trained with is stored in its checkpoint as a [`Visible`].

pub use crate::content::{Content, Raw};
pub use crate::file::File;
pub use crate::interpretation::{
    Background, Change, ColumnReading, Doubt, KindChoice, READING, Reading, ReadingSetting, ordered,
};
pub use crate::preview::{Preview, Summary};
pub use crate::reading::read;
pub use crate::visible::{Binarization, Draw, Encoding, PictureReading, Visible};

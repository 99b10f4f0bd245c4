//! What the visitor's files hold, understood but not yet binary; and how it becomes binary.
//!
//! [`File`]s become a [`Raw`], once and with everything checked; an [`Encoding`] makes a [`Dataset`](crate::Dataset) of it, as often as the visitor moves a
//! slider. The encoding that a model was trained with is kept in its checkpoint as a [`Visible`].

pub use crate::content::{Content, Raw};
pub use crate::file::File;
pub use crate::preview::{Preview, Summary};
pub use crate::reading::{ReadOptions, read};
pub use crate::visible::{Encoding, Visible};

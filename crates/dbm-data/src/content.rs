//! The visitor's files, interpreted but not yet binary.

use crate::columns::{Column, ColumnKind, Table};
use crate::interpretation::{Doubt, Reading};
use crate::pictures::Pictures;
use crate::visible::{Encoding, PictureReading, Visible};
use crate::{DataError, Dataset};

/// The content of one file, or of several read together.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw {
    /// Name of the data: the file's name.
    pub name: String,
    /// The values read.
    pub content: Content,
    /// How they were read: reading them again in this way gives the same content.
    pub reading: Reading,
    /// What was detected or left out that the visitor should know, one sentence each.
    pub notes: Vec<String>,
    /// What may have been misread.
    pub doubts: Vec<Doubt>,
}

impl Raw {
    /// The initial encoding.
    pub fn suggest(&self) -> Encoding {
        match &self.content {
            Content::Pictures(pictures) => pictures.suggest(),
            Content::Table(table) => suggest(table),
        }
    }

    /// The data as binary examples under an encoding.
    ///
    /// # Errors
    /// Those of [`Pictures::encode`] and [`Table::encode`].
    pub fn encode(&self, encoding: &Encoding) -> Result<Dataset, DataError> {
        match &self.content {
            Content::Pictures(pictures) => Ok(self.noted(pictures.encode(&self.name, encoding)?)),
            Content::Table(table) => table.encode(&self.name, encoding),
        }
    }

    /// The data with how the pictures were read, which travels on with a model of them.
    fn noted(&self, data: Dataset) -> Dataset {
        let visible = data.visible.map(|visible| visible.with_pictures(PictureReading::of(&self.reading)));
        Dataset { visible, ..data }
    }

    /// Binary examples for a model with these visible units.
    ///
    /// # Errors
    /// Those of [`Pictures::encode_as`] and [`Table::encode_as`]; [`DataError::Format`] for a table if the model expects pictures.
    pub fn encode_as(&self, visible: &Visible) -> Result<Dataset, DataError> {
        match (&self.content, visible) {
            (Content::Pictures(pictures), visible) => pictures.encode_as(&self.name, visible),
            (Content::Table(table), Visible::Table(columns)) => table.encode_as(&self.name, columns),
            (Content::Table(_), _) => Err(DataError::format(
                &self.name,
                "pictures, as the model was trained on",
                "this is a table",
                "load pictures, or train a model on this",
            )),
        }
    }
}

/// The thresholds that the table would choose for its numeric columns.
fn suggest(table: &Table) -> Encoding {
    let columns = table.columns(&Encoding::default()).columns.into_iter();
    let threshold = |column: Column| match column.kind {
        ColumnKind::Number { threshold, .. } => Some((column.name, threshold)),
        _ => None,
    };
    Encoding { columns: columns.filter_map(threshold).collect(), ..Encoding::default() }
}

/// Values of either kind.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "there is one for each reading")]
pub enum Content {
    /// The same number of values in every example: images, or plain arrays.
    Pictures(Pictures),
    /// Named columns, each with its own kind.
    Table(Table),
}

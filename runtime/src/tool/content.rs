//! Content blocks: what a model or a person is shown. One to one with the content blocks of MCP.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// One block of rendered content.
///
/// Serialises to the shape of MCP: `{"type": "text", "text": …}`, `{"type": "image", "data": …, "mimeType": …}`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "type",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Content {
    /// Plain text.
    Text {
        /// The text.
        text: Arc<str>,
    },
    /// An image.
    Image {
        /// The bytes in base64.
        data: Arc<str>,
        /// Such as `image/png`.
        mime_type: Arc<str>,
    },
    /// A sound.
    Audio {
        /// The bytes in base64.
        data: Arc<str>,
        /// Such as `audio/wav`.
        mime_type: Arc<str>,
    },
    /// A resource with its contents.
    Resource {
        /// The resource.
        resource: Resource,
    },
    /// A reference to a resource that the reader may fetch.
    ResourceLink {
        /// Where it is.
        uri: Arc<str>,
        /// What to call it.
        name: Arc<str>,
        /// Its type, if known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mime_type: Option<Arc<str>>,
    },
}

/// A resource that is embedded in content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// Where it comes from.
    pub uri: Arc<str>,
    /// Its type, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<Arc<str>>,
    /// Its contents.
    #[serde(flatten)]
    pub body: ResourceBody,
}

/// The contents of a [`Resource`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ResourceBody {
    /// Text.
    Text(Arc<str>),
    /// Bytes in base64.
    Blob(Arc<str>),
}

impl Content {
    /// A text block.
    pub fn text(text: impl Into<Arc<str>>) -> Self {
        Self::Text { text: text.into() }
    }

    /// An image block from base64 data.
    pub fn image(data: impl Into<Arc<str>>, mime_type: impl Into<Arc<str>>) -> Self {
        Self::Image {
            data: data.into(),
            mime_type: mime_type.into(),
        }
    }

    /// The text of a text block.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text } => Some(text),
            _ => None,
        }
    }

    /// Whether the block is an image.
    pub fn is_image(&self) -> bool {
        matches!(self, Self::Image { .. })
    }
}

impl From<&str> for Content {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

impl From<String> for Content {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

//! Arrays and objects: shared, immutable through sharing, and compared and dropped without recursion.

use std::borrow::Borrow;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use indexmap::IndexMap;

use super::Json;

type Members = IndexMap<Arc<str>, Json>;

/// The elements of a JSON array. Cloning shares them.
#[derive(Clone, Default)]
pub struct Array(Option<Arc<Vec<Json>>>);

/// The members of a JSON object, in the order in which they were added. Cloning shares them.
#[derive(Clone, Default)]
pub struct Object(Option<Arc<Members>>);

impl Array {
    /// An empty array.
    pub const fn new() -> Self {
        Self(None)
    }

    /// Adds an element at the end. Clones made before keep what they had.
    pub fn push(&mut self, value: impl Into<Json>) {
        Arc::make_mut(self.0.get_or_insert_default()).push(value.into());
    }
}

impl Object {
    /// An object without members.
    pub const fn new() -> Self {
        Self(None)
    }

    /// How many members it has.
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |members| members.len())
    }

    /// True when it has no members.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The member `key`.
    pub fn get(&self, key: &str) -> Option<&Json> {
        self.0.as_ref()?.get(key)
    }

    /// True when it has a member `key`.
    pub fn contains_key(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The member at `index` in insertion order.
    pub fn get_index(&self, index: usize) -> Option<(&str, &Json)> {
        self.0
            .as_ref()?
            .get_index(index)
            .map(|(key, value)| (&**key, value))
    }

    /// The members in insertion order.
    pub fn iter(&self) -> Iter<'_> {
        Iter {
            members: self.0.as_deref().map(|members| members.iter()),
        }
    }

    /// The keys in insertion order.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.iter().map(|(key, _)| key)
    }

    /// The values in insertion order.
    pub fn values(&self) -> impl Iterator<Item = &Json> {
        self.iter().map(|(_, value)| value)
    }

    /// Sets the member `key` and gives the one that it replaces; a replaced member keeps its place. Clones made before
    /// keep what they had.
    pub fn insert(&mut self, key: impl Into<Arc<str>>, value: impl Into<Json>) -> Option<Json> {
        Arc::make_mut(self.0.get_or_insert_default()).insert(key.into(), value.into())
    }

    pub(super) fn from_members(members: Members) -> Self {
        if members.is_empty() {
            Self(None)
        } else {
            Self(Some(Arc::new(members)))
        }
    }

    /// Keys as shared text, so that a walk can keep them without copying.
    pub(crate) fn shared_iter(&self) -> impl Iterator<Item = (&Arc<str>, &Json)> {
        self.0.iter().flat_map(|members| members.iter())
    }
}

impl Deref for Array {
    type Target = [Json];

    fn deref(&self) -> &[Json] {
        self.0.as_ref().map_or(&[], |elements| elements)
    }
}

/// Iterator over the members of an [`Object`].
#[derive(Clone, Debug)]
pub struct Iter<'a> {
    members: Option<indexmap::map::Iter<'a, Arc<str>, Json>>,
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a str, &'a Json);

    fn next(&mut self) -> Option<Self::Item> {
        self.members
            .as_mut()?
            .next()
            .map(|(key, value)| (key.borrow(), value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.members
            .as_ref()
            .map_or((0, Some(0)), |members| members.size_hint())
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a str, &'a Json);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> IntoIterator for &'a Array {
    type Item = &'a Json;
    type IntoIter = std::slice::Iter<'a, Json>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl From<Vec<Json>> for Array {
    fn from(elements: Vec<Json>) -> Self {
        if elements.is_empty() {
            Self(None)
        } else {
            Self(Some(Arc::new(elements)))
        }
    }
}

impl<T: Into<Json>> FromIterator<T> for Array {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        elements
            .into_iter()
            .map(Into::into)
            .collect::<Vec<Json>>()
            .into()
    }
}

/// Where a key comes twice, the later value wins and keeps the earlier place.
impl<K: Into<Arc<str>>, V: Into<Json>> FromIterator<(K, V)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(members: I) -> Self {
        Self::from_members(
            members
                .into_iter()
                .map(|(key, value)| (key.into(), value.into()))
                .collect(),
        )
    }
}

impl PartialEq for Array {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = Vec::new();
        push_arrays(self, other, &mut pairs) && all_equal(pairs)
    }
}

impl Eq for Array {}

impl PartialEq for Object {
    fn eq(&self, other: &Self) -> bool {
        let mut pairs = Vec::new();
        push_objects(self, other, &mut pairs) && all_equal(pairs)
    }
}

impl Eq for Object {}

fn same<T>(left: &Option<Arc<T>>, right: &Option<Arc<T>>) -> bool {
    match (left, right) {
        (Some(left), Some(right)) => Arc::ptr_eq(left, right),
        (None, None) => true,
        _ => false,
    }
}

fn push_arrays<'a>(
    left: &'a Array,
    right: &'a Array,
    pairs: &mut Vec<(&'a Json, &'a Json)>,
) -> bool {
    if same(&left.0, &right.0) {
        return true;
    }
    if left.len() != right.len() {
        return false;
    }
    pairs.extend(left.iter().zip(right.iter()));
    true
}

fn push_objects<'a>(
    left: &'a Object,
    right: &'a Object,
    pairs: &mut Vec<(&'a Json, &'a Json)>,
) -> bool {
    if same(&left.0, &right.0) {
        return true;
    }
    if left.len() != right.len() {
        return false;
    }
    for (key, value) in left {
        match right.get(key) {
            Some(other) => pairs.push((value, other)),
            None => return false,
        }
    }
    true
}

fn all_equal<'a>(mut pairs: Vec<(&'a Json, &'a Json)>) -> bool {
    while let Some(pair) = pairs.pop() {
        let equal = match pair {
            (Json::Array(left), Json::Array(right)) => push_arrays(left, right, &mut pairs),
            (Json::Object(left), Json::Object(right)) => push_objects(left, right, &mut pairs),
            (left, right) => left == right,
        };
        if !equal {
            return false;
        }
    }
    true
}

impl Drop for Array {
    fn drop(&mut self) {
        if let Some(elements) = self.0.take().and_then(Arc::into_inner)
            && elements.iter().any(Json::is_container)
        {
            drop_all(elements);
        }
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if let Some(members) = self.0.take().and_then(Arc::into_inner)
            && members.values().any(Json::is_container)
        {
            drop_all(members.into_values().collect());
        }
    }
}

/// Takes a tree apart with a list on the heap, so that its depth never reaches the stack.
fn drop_all(mut pending: Vec<Json>) {
    while let Some(value) = pending.pop() {
        match value {
            Json::Array(mut array) => {
                if let Some(elements) = array.0.take().and_then(Arc::into_inner) {
                    pending.extend(elements.into_iter().filter(Json::is_container));
                }
            }
            Json::Object(mut object) => {
                if let Some(members) = object.0.take().and_then(Arc::into_inner) {
                    pending.extend(members.into_values().filter(Json::is_container));
                }
            }
            _ => {}
        }
    }
}

impl fmt::Debug for Array {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Json::Array(self.clone()), formatter)
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&Json::Object(self.clone()), formatter)
    }
}

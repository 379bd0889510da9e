//! The `json!` macro.

/// Builds a [`Json`](crate::Json) from a literal with expressions in it.
///
/// Keys are string literals or expressions in parentheses; values are `null`, arrays, objects or expressions whose
/// type is [`Into<Json>`](crate::Json), or a float. Where a key comes twice, the later value wins.
///
/// # Panics
/// On a float expression that is NaN, infinite or -0. Use [`Number::try_from`](crate::json::Number) for computed floats.
///
/// ```
/// let name = "notes.md";
/// let value = lockgate::json!({"path": name, "range": [1, 2.5, null], ("a".to_owned() + "b"): {}});
/// assert_eq!(value.to_string(), r#"{"path":"notes.md","range":[1,2.5,null],"ab":{}}"#);
/// ```
#[macro_export]
macro_rules! json {
    (null) => { $crate::Json::Null };
    ([ $($body:tt)* ]) => { $crate::__json_array!([] $($body)*) };
    ({ $($body:tt)* }) => { $crate::__json_object!([] $($body)*) };
    ($value:expr) => { $crate::json::IntoJson::into_json($value) };
}

/// Collects array elements; a part of [`json!`](crate::json!).
#[doc(hidden)]
#[macro_export]
macro_rules! __json_array {
    ([ $($done:expr,)* ]) => { $crate::Json::Array($crate::json::Array::from(::std::vec::Vec::from([$($done),*]))) };
    ([ $($done:expr,)* ] null $(, $($rest:tt)*)?) => {
        $crate::__json_array!([ $($done,)* $crate::Json::Null, ] $($($rest)*)?)
    };
    ([ $($done:expr,)* ] [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::__json_array!([ $($done,)* $crate::json!([ $($inner)* ]), ] $($($rest)*)?)
    };
    ([ $($done:expr,)* ] { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::__json_array!([ $($done,)* $crate::json!({ $($inner)* }), ] $($($rest)*)?)
    };
    ([ $($done:expr,)* ] $next:expr $(, $($rest:tt)*)?) => {
        $crate::__json_array!([ $($done,)* $crate::json!($next), ] $($($rest)*)?)
    };
}

/// Collects object members; a part of [`json!`](crate::json!).
#[doc(hidden)]
#[macro_export]
macro_rules! __json_object {
    ([]) => { $crate::Json::Object($crate::json::Object::new()) };
    ([ $(($key:expr, $value:expr),)+ ]) => {
        $crate::Json::Object([$((::std::sync::Arc::<str>::from($key), $value)),+].into_iter().collect())
    };
    ([ $($done:tt)* ] ($key:expr) : $($rest:tt)*) => { $crate::__json_object!(@value [ $($done)* ] [ $key ] $($rest)*) };
    ([ $($done:tt)* ] $key:literal : $($rest:tt)*) => { $crate::__json_object!(@value [ $($done)* ] [ $key ] $($rest)*) };
    (@value [ $($done:tt)* ] [ $key:expr ] null $(, $($rest:tt)*)?) => {
        $crate::__json_object!([ $($done)* ($key, $crate::Json::Null), ] $($($rest)*)?)
    };
    (@value [ $($done:tt)* ] [ $key:expr ] [ $($inner:tt)* ] $(, $($rest:tt)*)?) => {
        $crate::__json_object!([ $($done)* ($key, $crate::json!([ $($inner)* ])), ] $($($rest)*)?)
    };
    (@value [ $($done:tt)* ] [ $key:expr ] { $($inner:tt)* } $(, $($rest:tt)*)?) => {
        $crate::__json_object!([ $($done)* ($key, $crate::json!({ $($inner)* })), ] $($($rest)*)?)
    };
    (@value [ $($done:tt)* ] [ $key:expr ] $value:expr $(, $($rest:tt)*)?) => {
        $crate::__json_object!([ $($done)* ($key, $crate::json!($value)), ] $($($rest)*)?)
    };
}

//! URLs and query strings, by the `url` crate.

use url::{Url, form_urlencoded};

use super::{misuse, object, text};
use crate::engine::{JsResult, Value};

/// `parseUrl(url, base?)`: the parts, or `undefined` where it is no URL.
pub(super) fn parse(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let url = text(arguments, 0).ok_or_else(misuse)?;
    let base = text(arguments, 1).map(|base| Url::parse(&base));
    let parsed = match base {
        None => Url::parse(&url),
        Some(Ok(base)) => base.join(&url),
        Some(Err(_)) => return Ok(Value::UNDEFINED),
    };
    parsed.map_or(Ok(Value::UNDEFINED), |url| parts(&url))
}

/// `changeUrl(href, part, value)`: the parts after the change, or `undefined` where it is not possible.
pub(super) fn change(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let [Some(href), Some(part), Some(value)] = [0, 1, 2].map(|index| text(arguments, index))
    else {
        return Err(misuse());
    };
    let Ok(mut url) = Url::parse(&href) else {
        return Ok(Value::UNDEFINED);
    };
    let changed = match part.as_str() {
        "protocol" => url::quirks::set_protocol(&mut url, &value),
        "username" => url::quirks::set_username(&mut url, &value),
        "password" => url::quirks::set_password(&mut url, &value),
        "host" => url::quirks::set_host(&mut url, &value),
        "hostname" => url::quirks::set_hostname(&mut url, &value),
        "port" => url::quirks::set_port(&mut url, &value),
        "pathname" => {
            url::quirks::set_pathname(&mut url, &value);
            Ok(())
        }
        "search" => {
            url::quirks::set_search(&mut url, &value);
            Ok(())
        }
        _ => {
            url::quirks::set_hash(&mut url, &value);
            Ok(())
        }
    };
    if changed.is_ok() {
        parts(&url)
    } else {
        Ok(Value::UNDEFINED)
    }
}

fn parts(url: &Url) -> JsResult<Value> {
    object(&[
        ("href", url.as_str()),
        ("origin", &url::quirks::origin(url)),
        ("protocol", url::quirks::protocol(url)),
        ("username", url::quirks::username(url)),
        ("password", url::quirks::password(url)),
        ("host", url::quirks::host(url)),
        ("hostname", url::quirks::hostname(url)),
        ("port", url::quirks::port(url)),
        ("pathname", url::quirks::pathname(url)),
        ("search", url::quirks::search(url)),
        ("hash", url::quirks::hash(url)),
    ])
}

/// `parseQuery(query)`: pairs of names and values.
pub(super) fn parse_query(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let query = text(arguments, 0).ok_or_else(misuse)?;
    let pairs = form_urlencoded::parse(query.as_bytes())
        .map(|(name, value)| Value::array(vec![Value::string(&name)?, Value::string(&value)?]));
    Value::array(pairs.collect::<JsResult<_>>()?)
}

/// `formatQuery(pairs)`.
pub(super) fn format_query(_: &Value, arguments: &[Value]) -> JsResult<Value> {
    let pairs = arguments.first().ok_or_else(misuse)?;
    let mut query = form_urlencoded::Serializer::new(String::new());
    for index in 0..pairs.length()? as u32 {
        let pair = pairs.get_index(index)?;
        query.append_pair(&pair.get_index(0)?.to_text(), &pair.get_index(1)?.to_text());
    }
    Value::string(&query.finish())
}

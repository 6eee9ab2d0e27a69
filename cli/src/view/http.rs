//! The part of HTTP that a browser needs to fetch one file: reading a request's head, and writing an answer's.

use httparse::{EMPTY_HEADER, Error, Status};

/// Maximum size of a request's head, in bytes: browsers send far less, even with the cookies of everything on this
/// machine.
pub const LARGEST_HEAD: usize = 64 << 10;
/// Maximum number of its lines.
const MOST_HEADERS: usize = 100;

/// Fields of a request that are used here.
#[derive(Debug, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub host: Option<String>,
    pub origin: Option<String>,
}

impl Request {
    /// Reads the bytes of a head so far. Returns `None` if more must come; an error is the status to answer with.
    pub fn parse(bytes: &[u8]) -> Result<Option<Request>, u16> {
        let mut headers = [EMPTY_HEADER; MOST_HEADERS];
        let mut head = httparse::Request::new(&mut headers);
        match head.parse(bytes) {
            Ok(Status::Complete(length)) if length <= LARGEST_HEAD => {}
            Ok(Status::Partial) if bytes.len() < LARGEST_HEAD => return Ok(None),
            Ok(_) | Err(Error::TooManyHeaders) => return Err(431),
            Err(_) => return Err(400),
        }
        let named = |name: &str| {
            let found = head.headers.iter().find(|header| header.name.eq_ignore_ascii_case(name));
            found.map(|header| String::from_utf8_lossy(header.value).into_owned())
        };
        Ok(Some(Request {
            method: head.method.unwrap_or_default().to_owned(),
            path: head.path.unwrap_or_default().to_owned(),
            host: named("Host"),
            origin: named("Origin"),
        }))
    }
}

/// The head of an answer, after which the connection is closed; `bytes` come after it.
pub fn head(status: u16, bytes: u64, headers: &[(&str, &str)]) -> Vec<u8> {
    let reason = match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        _ => "Request Header Fields Too Large",
    };
    let mut head = format!("HTTP/1.1 {status} {reason}\r\nConnection: close\r\n");
    // An answer without content has no length either.
    if status != 204 {
        head.push_str(&format!("Content-Length: {bytes}\r\n"));
    }
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    head.push_str("\r\n");
    head.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_read_when_it_is_whole() {
        let text = b"GET /a HTTP/1.1\r\nhOST: b:1\r\norigin: http://c\r\n\r\nrest";
        for end in 0..text.len() - b"rest".len() {
            assert_eq!(Request::parse(&text[..end]), Ok(None), "{end}");
        }
        let request = Request::parse(text).expect("sound").expect("whole");
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/a"));
        assert_eq!(request.host.as_deref(), Some("b:1"));
        assert_eq!(request.origin.as_deref(), Some("http://c"));
    }

    #[test]
    fn what_is_too_large_or_no_request_is_not_waited_for() {
        let long = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &vec![b'a'; LARGEST_HEAD]].concat();
        assert_eq!(Request::parse(&long), Err(431));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MOST_HEADERS + 1));
        assert_eq!(Request::parse(many.as_bytes()), Err(431));
        assert_eq!(Request::parse(b"\x16\x03\x01\0\0"), Err(400));
    }
}

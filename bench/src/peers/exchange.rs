//! Sends one request over HTTP/1.1 and reads the response, for comparing responses and for waiting
//! until a server is ready; measured requests are sent by `loadgen`.

use std::io::{BufRead, BufReader, Error, ErrorKind, Result, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use loadgen::PreparedRequest;

const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// Sends a request on a new connection, and reads the status and the body of the response.
pub fn exchange(address: SocketAddr, call: &PreparedRequest) -> Result<(u16, Vec<u8>)> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
    stream.write_all(&call.bytes)?;
    let mut reader = BufReader::new(stream);
    let status = line(&mut reader)?
        .split(' ')
        .nth(1)
        .and_then(|status| status.parse().ok())
        .ok_or_else(malformed)?;
    let mut length = 0;
    let mut chunked = false;
    loop {
        let header = line(&mut reader)?.to_ascii_lowercase();
        match header
            .split_once(':')
            .map(|(name, value)| (name, value.trim()))
        {
            Some(("content-length", value)) => length = value.parse().map_err(|_| malformed())?,
            Some(("transfer-encoding", value)) => chunked = value == "chunked",
            Some(_) => {}
            None => break,
        }
    }
    Ok((
        status,
        if chunked {
            chunks(&mut reader)?
        } else {
            exactly(&mut reader, length)?
        },
    ))
}

fn chunks(reader: &mut impl BufRead) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let size = usize::from_str_radix(line(reader)?.trim(), 16).map_err(|_| malformed())?;
        body.extend(exactly(reader, size)?);
        line(reader)?;
        if size == 0 {
            return Ok(body);
        }
    }
}

fn exactly(reader: &mut impl BufRead, length: usize) -> Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    reader.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn line(reader: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    Ok(line.trim_end().to_owned())
}

fn malformed() -> Error {
    ErrorKind::InvalidData.into()
}

//! A stand-in for a worker that somebody took over: does what its argument says, from inside the walls where that is the point.
#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::panic,
    reason = "a tool of the tests; what it prints is what they read"
)]

use std::{
    fs::File,
    io::{self, Read, Write},
    net::{TcpListener, TcpStream, UdpSocket},
    process::{Command, ExitCode},
};

use balcao_sandbox::{
    protocol::{self, CallHeader, Greeting, Kind},
    worker::{self, confine},
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["confined", what] => confined(what),
        ["record", path] => {
            std::fs::write(path, std::process::id().to_string()).unwrap();
            worker::run()
        }
        ["bare-environment"] => {
            let names: Vec<_> = std::env::vars().map(|(name, _)| name).collect();
            assert_eq!(names, ["TZ"]);
            worker::run()
        }
        ["answers", how] => answers(how),
        other => panic!("{other:?}"),
    }
}

/// Says how well it is kept in, then tries one thing that it may not do, and says so if nothing stopped it.
fn confined(what: &str) -> ExitCode {
    // What the server that started us may have had open.
    let mut file = File::open("/etc/hostname").unwrap();
    let (_far, mut near) = io::pipe().unwrap();
    let confinement = confine::confine();
    println!("{confinement}");
    io::stdout().flush().unwrap();
    let done = match what {
        "nothing" => Ok(()),
        "open" => File::open("/etc/hostname").map(drop),
        "read-inherited" => file.read(&mut [0; 8]).map(drop),
        "write-inherited" => near.write(b"x").map(drop),
        "create" => File::create("/tmp/balcao-sandbox-probe").map(drop),
        "list" => std::fs::read_dir("/").map(drop),
        "connect" => TcpStream::connect(("127.0.0.1", 9)).map(drop),
        "listen" => TcpListener::bind(("127.0.0.1", 0)).map(drop),
        "udp" => UdpSocket::bind(("127.0.0.1", 0)).map(drop),
        #[cfg(unix)]
        "unix-socket" => std::os::unix::net::UnixStream::pair().map(drop),
        "exec" => Command::new("/bin/true").status().map(drop),
        "fork" => Command::new("/proc/self/exe").spawn().map(drop),
        "thread" => std::thread::Builder::new().spawn(|| ()).map(drop),
        #[cfg(unix)]
        "signal" => rustix::process::test_kill_process(rustix::process::getppid().unwrap()).map_err(io::Error::from),
        #[cfg(unix)]
        "limits" => {
            let more = rustix::process::Rlimit { current: Some(64), maximum: Some(64) };
            rustix::process::setrlimit(rustix::process::Resource::Nofile, more).map_err(io::Error::from)
        }
        // Not forbidden, but bounded: the process ends for want of memory.
        "memory" => {
            let mut all = Vec::new();
            for _ in 0..4_096 {
                all.push(vec![1_u8; 1 << 20]);
            }
            Ok(())
        }
        other => panic!("{other}"),
    };
    println!("{what}: {done:?}");
    ExitCode::SUCCESS
}

/// Introduces itself as a worker does, waits for a call, and answers it in a way that no worker does.
fn answers(how: &str) -> ExitCode {
    let mut out = io::stdout().lock();
    let mut greeting = protocol::frame(Kind::Greeting);
    let version = if how == "another version" { 99 } else { protocol::VERSION };
    serde_json::to_writer(&mut greeting, &Greeting { version, confinement: balcao_sandbox::Confinement::default() })
        .unwrap();
    if how == "no greeting" {
        greeting = protocol::frame(Kind::Value);
    }
    out.write_all(&protocol::seal(greeting).unwrap()).unwrap();
    out.flush().unwrap();
    let mut input = io::stdin().lock();
    let _setup = body(&mut input);
    let call = body(&mut input);
    let (header, _) = CallHeader::read(&call).unwrap();
    let value = |number: u64, text: &[u8]| protocol::answer(Kind::Value, number, false, text).unwrap();
    let raw: Vec<u8> = match how {
        // And then it is gone, as after a call that left the engine in ruins.
        "once" => value(header.number, b"1"),
        "another call" => value(header.number + 1, b"1"),
        "twice" => [value(header.number, b"1"), value(header.number, b"2")].concat(),
        "no json" => value(header.number, b"{\"a\": NaN}"),
        "no utf-8" => value(header.number, b"\"\xff\xfe\""),
        "deep json" => value(header.number, "[".repeat(200_000).as_bytes()),
        "too long" => u32::MAX.to_le_bytes().to_vec(),
        "empty" => vec![0; 64],
        "unknown kind" => vec![1, 0, 0, 0, 77],
        "greeting again" => protocol::answer(Kind::Greeting, header.number, false, b"{}").unwrap(),
        "half" => value(header.number, b"[1, 2, 3]").split_last_chunk::<4>().unwrap().0.to_vec(),
        "noise" => (0..50_000_u32).flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()).collect(),
        "silence" => loop {
            std::thread::park();
        },
        "death" => {
            #[cfg(unix)]
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
            Vec::new()
        }
        other => panic!("{other}"),
    };
    // Whoever reads may be gone by now.
    let _ = out.write_all(&raw).and_then(|()| out.flush());
    ExitCode::SUCCESS
}

fn body(input: &mut impl Read) -> Vec<u8> {
    let mut length = [0; 4];
    input.read_exact(&mut length).unwrap();
    let mut kind_and_body = vec![0; usize::try_from(u32::from_le_bytes(length)).unwrap()];
    input.read_exact(&mut kind_and_body).unwrap();
    kind_and_body.split_off(1)
}

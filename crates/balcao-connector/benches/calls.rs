//! What the connector adds to a call of a service on this machine: a small answer, a long list, and a refusal that repeats what it
//! was sent. The service does nothing but write its answer, over a connection that stays open.
#![expect(clippy::unwrap_used, reason = "a bench")]

use std::{
    io::{BufRead, BufReader, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use balcao_connector::{Account, Connection, Egress, HttpCommand, Settings, Striker, TokioClock};
use divan::{Bencher, black_box};
use serde_json::{Map, Value, json};
use tokio::runtime::{Builder, Runtime};

/// As in the program.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() {
    divan::main();
}

const TOKEN: &str = "pk_4410021_SECRETSECRETSECRET";

/// A service that answers everything with this, as long as the program runs.
fn service(status: &str, body: &str) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let length = body.len();
    let answer: Arc<str> =
        format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}").into();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = Arc::clone(&answer);
            thread::spawn(move || serve(stream, &answer));
        }
    });
    address
}

fn serve(mut stream: TcpStream, answer: &str) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    while reader.read_line(&mut line)? > 0 {
        if line == "\r\n" {
            stream.write_all(answer.as_bytes())?;
        }
        line.clear();
    }
    Ok(())
}

/// Calls that service again and again.
fn calls(bencher: Bencher<'_, '_>, status: &str, body: &str) {
    let runtime: Runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let connection = Connection::read(&json!({
        "base_url": format!("http://{}", service(status, body)),
        "auth": { "header": { "name": "Authorization", "value": "{settings.token}" } },
        "errors": { "code": "/ECODE", "message": "/err" },
    }))
    .unwrap();
    let egress = Egress { allow: vec!["127.0.0.1/32".parse().unwrap()], plain_http: true, ..Egress::default() };
    let clock = Arc::new(TokioClock::starting_at("2026-11-25T10:00:00Z".parse().unwrap()));
    let settings = Settings::new().secret("token", TOKEN);
    let account = Account::open(&connection, settings, &egress, clock, None, 7).unwrap();
    let command = HttpCommand::read(&json!({ "method": "GET", "path": "/task" })).unwrap();
    let operation = command.compile(&json!({ "properties": {} })).unwrap();
    let arguments = Map::new();
    bencher.bench_local(|| black_box(runtime.block_on(account.call(&operation, &arguments, None)).is_ok()));
}

fn task(id: usize) -> Value {
    json!({ "id": format!("86a{id:05}"), "name": format!("Ligar para o cliente número {id}"), "status": { "status": "to do" },
        "assignees": [{ "id": id, "username": "Íris Prado" }], "due_date": "1764068400000", "url": format!("https://app.example/t/{id}") })
}

#[divan::bench]
fn one_task(bencher: Bencher<'_, '_>) {
    calls(bencher, "200 OK", &task(1).to_string());
}

#[divan::bench]
fn a_thousand_tasks(bencher: Bencher<'_, '_>) {
    let tasks: Vec<Value> = (0..1_000).map(task).collect();
    calls(bencher, "200 OK", &json!({ "tasks": tasks }).to_string());
}

#[divan::bench]
fn a_refusal(bencher: Bencher<'_, '_>) {
    let body = json!({ "ECODE": "OAUTH_027", "err": format!("the token {TOKEN} may not read this list") });
    calls(bencher, "403 Forbidden", &body.to_string());
}

/// The search for secrets in one long text of prose with addresses, prices and hours: 110 KB.
#[divan::bench]
fn prose_searched(bencher: Bencher<'_, '_>) {
    let line = "Olá! O corte com a Íris custa R$ 45,00 e dura meia hora; amanhã às 15:30 ainda há vaga. \
                Veja mais em https://salao.example/servicos?pagina=2&de=agenda%20nova ou escreva para nós. ";
    let text = line.repeat(110_000 / line.len());
    let striker = Striker::new([TOKEN]);
    bencher.bench_local(|| black_box(striker.text(black_box(&text)).len()));
}

/// The search in the list of a thousand tasks.
#[divan::bench]
fn a_thousand_tasks_searched(bencher: Bencher<'_, '_>) {
    let striker = Striker::new([TOKEN]);
    let mut tasks = Value::from((0..1_000).map(task).collect::<Vec<_>>());
    bencher.bench_local(move || striker.value(black_box(&mut tasks)));
}

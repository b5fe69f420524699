use super::*;

fn clean(text: &str) -> String {
    let secrets = [SecretString::from("hunter2-hunter2"), SecretString::from("short")];
    Redactor::new(&secrets, vec!["106540352242922".to_owned()]).clean(text).into_owned()
}

#[test]
fn every_shape_is_one() {
    assert_eq!(Redactor::new(&[], Vec::new()).shapes.len(), SHAPES.len());
}

#[test]
fn a_112_what_must_not_be_in_a_log_is_taken_out() {
    for personal in [
        "5531988880001",
        "+5531988880001",
        "+55 31 98888-0001",
        "+55 (31) 98888-0001",
        "(31) 98888-0001",
        "31 8888-0001",
        "31988880001",
        "ana.souza+x@exemplo.com.br",
        "josé@exemplo.com",
        "529.982.247-25",
        "52998224725",
        "11.222.333/0001-81",
        "4111111111111111",
        "wamid.HBgNNTUzMTk4ODg4MDAwMRUCABIYFjNFQjA",
        "BR.13491208655302741918",
        "bk_x1Yz2aBcDeFgHiJkLmNo",
        "sk-proj-abcdefghijklmnop",
        "EAAGm0PX4ZCpsBAKZBexample",
        "Bearer eyJhbGciOi.abc.def",
        "hunter2-hunter2",
    ] {
        for line in [format!("a={personal} b"), format!("\"{personal}\""), format!("so: {personal}, and")] {
            let cleaned = clean(&line);
            assert!(!cleaned.contains(personal) && cleaned.contains('['), "{cleaned}");
        }
    }
    assert_eq!(clean("access_token=abc&x=1"), "access_token=[key]&x=1");
    assert_eq!(clean(r#"{"password": "abc", "x": 1}"#), r#"{"password": "[key]", "x": 1}"#);
}

#[test]
fn what_helps_stays() {
    for line in [
        "2026-11-22T08:21:27.123456Z  WARN balcao_app::messaging::outbound::sender: a message was not sent message=msg_42 attempt=3",
        "listening on http://127.0.0.1:8080",
        "the lease ends at 2026-11-24T10:00:00-03:00[America/Sao_Paulo], took 1234 ms, port 54321",
        "conversation cnv_123, key_3, tool create_appointment at 14:30 on 24/11/2026",
        "short",
    ] {
        assert_eq!(clean(line), line);
    }
}

#[test]
fn the_id_of_our_own_account_stays_and_a_number_that_holds_it_does_not() {
    assert_eq!(clean(r#"account="106540352242922" refused"#), r#"account="106540352242922" refused"#);
    assert_eq!(clean("5106540352242922"), "[number]");
    assert_eq!(clean("106540352242923"), "[number]");
}

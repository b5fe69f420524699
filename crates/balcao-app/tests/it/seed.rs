use balcao_app::admin::seed::{BusinessFile, SeedError};
use balcao_store::Store;

use crate::world::root;

fn good() -> String {
    std::fs::read_to_string(root().join("samples/barbearia-figueira.yaml")).unwrap()
}

async fn loads(path: &std::path::Path) {
    let text = std::fs::read_to_string(path).unwrap();
    let file = BusinessFile::read(&path.display().to_string(), &text).unwrap_or_else(|problems| {
        let words: Vec<String> = problems.iter().map(ToString::to_string).collect();
        unreachable!("{}", words.join("\n"))
    });
    let store = Store::open_in_memory().unwrap();
    store.migrate().await.unwrap();
    let imported = file.clone().import(&store, "2026-11-23T12:00:00Z".parse().unwrap()).await.unwrap();
    assert!(imported.services > 0 && imported.professionals > 0 && imported.contacts > 0 && imported.knowledge > 0);
    let again = file.import(&store, "2026-11-23T12:00:00Z".parse().unwrap()).await.unwrap_err();
    assert!(matches!(again, SeedError::SlugTaken { .. }), "{again}");
}

#[tokio::test]
async fn the_samples_load_without_complaint() {
    for sample in ["barbearia-figueira.yaml", "clinica-vereda.yaml"] {
        loads(&root().join("samples").join(sample)).await;
    }
}

#[tokio::test]
async fn the_file_that_fixes_the_format_loads() {
    let path = root().join("../shared/material/business/barbearia-navalha.yaml");
    if !path.exists() {
        balcao_testkit::skip(&format!("{} is missing", path.display()));
        return;
    }
    loads(&path).await;
}

/// Every row: what is replaced by what, the line's own text that must be named, and words of the complaint.
#[test]
fn every_kind_of_mistake_is_named_with_its_line_and_what_is_right() {
    let table: &[(&str, &str, &str)] = &[
        ("  slug: figueira", "  slug: Figueira!", "invalid slug"),
        ("organization:", "format: 2\nnews: []\norganization:", "a newer version of Balcão wrote this file"),
        ("organization:", "format: \"1\"\norganization:", "invalid format \"1\"; expected 1"),
        ("timezone: America/Sao_Paulo", "timezone: America/SaoPaulo", "did you mean `America/Sao_Paulo`?"),
        ("  address: Rua dos", "  adress: Rua dos", "did you mean `address`?"),
        ("  currency: BRL", "  currency: Real", "invalid currency"),
        ("    mon: [\"13:00-20:00\"]", "    mon: [\"13:00-25:00\"]", "invalid time of day"),
        ("    mon: [\"13:00-20:00\"]", "    mon: [\"20:00-13:00\"]", "ends before it begins"),
        ("    mon: [\"13:00-20:00\"]", "    mon: [\"13:00-18:00\", \"17:00-20:00\"]", "overlap"),
        ("    mon: [\"13:00-20:00\"]", "    mon: [\"13:01-20:00\"]", "not on five minutes"),
        ("    mon: [\"13:00-20:00\"]", "    mom: [\"13:00-20:00\"]", "did you mean `mon`?"),
        ("{date: 2026-12-12,", "{date: 2026-12-32,", "invalid date"),
        ("slot_step_minutes: 15", "slot_step_minutes: 12", "write 10"),
        ("slot_mode: grid", "slot_mode: loose", "use one of grid, fit"),
        ("maximum_open_appointments: 4", "maximum_open_appointments: 0", "from 1 to 1000"),
        ("aliases: [Wesley, Uéslei, Ueslei]", "aliases: [Wesley, Iris]", "already means Wesley Moura"),
        ("aliases: [Otávio, Tavinho]", "aliases: [Otávio, Otávio]", "is there twice"),
        (
            "services: [Corte na tesoura, Corte de menino,",
            "services: [Corte na tezoura, Corte de menino,",
            "did you mean `Corte na tesoura`?",
        ),
        ("{from: \"2027-01-04T00:00\"", "{from: \"2027-02-04T00:00\"", "ends before it begins"),
        ("{from: \"2027-01-04T00:00\"", "{from: \"2027-01-04\"", "invalid date and time"),
        ("price: \"25.00\"", "price: \"25,0\"", "invalid price"),
        ("price: \"25.00\"", "price: -25", "invalid price"),
        ("price: \"25.00\"", "price: 1.500", "invalid price `1.500`; write it as a text with two decimals"),
        ("price: \"25.00\"", "price: 25.5", "invalid price `25.5`"),
        ("price: \"25.00\"", "price: 1e3", "invalid price `1e3`"),
        ("price: \"25.00\"", "price: \"1.500\"", "invalid price `1.500`"),
        ("price: \"25.00\"", "price: \"1.000.000,01\"", "write at most R$ 1.000.000,00"),
        ("price: \"25.00\"", "price: 1000001", "write at most R$ 1.000.000,00"),
        ("{name: Raiz, price: \"89.00\"", "{name: Raiz, price: 89.000", "invalid price `89.000`"),
        ("duration_minutes: 15}", "duration_minutes: 17}", "expected a multiple of five"),
        ("duration_minutes: 15}", "duration_minutes: quinze}", "whole number from 5 to 720"),
        ("  - {name: Sobrancelha, price", "  - {name: Corte e barba, price", "two services `Corte e barba`"),
        ("  - {name: Sobrancelha, price", "  - {name: CORTE E  BÁRBA, price", "are one name to a customer"),
        ("  - {name: Sobrancelha, price", "  - {price", "`name` is missing"),
        ("covers: [Corte na máquina], quota", "covers: [Corte de maquina], quota", "unknown service"),
        (
            "period: month, covers: [Corte na máquina],",
            "period: mensal, covers: [Corte na máquina],",
            "use one of week, month, year",
        ),
        ("phone: \"+55 31 99640-1177\"", "phone: \"+55 23 99640-1177\"", "no area code 23"),
        ("phone: \"31 98432-7788\"", "phone: \"553199640-1177\"", "two contacts have the phone"),
        ("email: caio.brandao@example.com", "email: caio.brandao", "invalid e-mail address"),
        ("tags: [Mensalista, Prefere manhã]\n    stage", "tags: [Mensalist]\n    stage", "did you mean `Mensalista`?"),
        ("stage: Frequente", "stage: Frequentes", "did you mean `Frequente`?"),
        ("plan: Copa, status: active", "plan: Kopa, status: active", "did you mean `Copa`?"),
        ("plan: Copa, status: active", "plan: Copa, status: late", "use one of active, overdue, paused, cancelled"),
        ("plan: Copa, status: active, due: 2026-12-10", "plan: Copa, status: overdue", "add the date on which"),
        ("plan: Copa, status: active", "plan: Copa, started: 2026-12-11, ended: 2026-12-10", "use 2026-12-11 or later"),
        ("starts: \"2026-11-10T10:00\"", "starts: \"2026-10-13T10:45\"", "has another appointment at that time"),
        ("starts: \"2026-11-10T10:00\"", "starts: \"2026-11-10T10:02\"", "not on five minutes"),
        (
            "{service: Coloração, professional: Íris Valente",
            "{service: Coloração, professional: Wesley Moura",
            "does not offer Coloração",
        ),
        ("professional: Wesley Moura, starts", "professional: Vesley Moura, starts", "did you mean `Wesley Moura`?"),
        ("  - channel_user: \"web:1f0c\"\n    name: Visitante", "  - name: Visitante", "a contact needs a phone"),
        ("role: attendant", "role: boss", "use one of owner"),
        (
            "{name: Íris Valente, email",
            "{name: Íris V., email",
            "no professional has that name: they would see nothing",
        ),
        (
            "role: professional, on_duty",
            "role: professional, professional: Íris Valemte, on_duty",
            "did you mean `Íris Valente`?",
        ),
        ("email: davi@figueira.example", "email: renata@figueira.example", "two people have the address"),
        ("title: Desmarcar", "title: Chegar atrasado", "two entries"),
        ("approved: false", "approved: talvez", "write true or false"),
        ("latitude: -19.9352", "latitude: -119.9352", "from -90 to 90"),
        ("kind: image, path: media/tabela.png", "kind: image", "`path` is missing"),
        ("tags: [Mensalista, Prefere manhã, Indicação]", "tags: Mensalista", "where a list is expected"),
    ];
    for (old, new, words) in table {
        let text = good();
        assert!(text.contains(old), "the sample lacks {old}");
        let broken = text.replacen(old, new, 1);
        let problems = BusinessFile::read("shop.yaml", &broken).unwrap_err();
        let all: Vec<String> = problems.iter().map(ToString::to_string).collect();
        let first_line = new.lines().next().unwrap().trim();
        let wanted = broken.lines().position(|line| line.contains(first_line)).unwrap() + 1;
        let named = problems.iter().any(|problem| {
            problem.to_string().contains(words) && problem.line.abs_diff(wanted) <= usize::from(new.contains('\n'))
        });
        let elsewhere =
            ["already means", "two contacts", "two people", "two entries", "two services", "another appointment"];
        let told_at_the_other =
            elsewhere.iter().any(|kind| words.contains(kind)) && all.iter().any(|one| one.contains(words));
        assert!(named || told_at_the_other, "{new}: wanted `{words}` in line {wanted}, got\n{}", all.join("\n"));
        assert!(problems.iter().all(|problem| problem.line > 0 && problem.column > 0), "{}", all.join("\n"));
    }
}

#[test]
fn all_mistakes_are_told_at_once_and_in_order() {
    let broken = good()
        .replace("  slug: figueira", "  slug: Figueira!")
        .replace("price: \"25.00\"", "price: \"x\"")
        .replace("stage: Frequente", "stage: Nenhum")
        .replace("role: attendant", "role: boss");
    let lines: Vec<usize> = BusinessFile::read("x.yaml", &broken).unwrap_err().iter().map(|one| one.line).collect();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines.is_sorted(), "{lines:?}");
}

#[test]
fn what_is_no_business_is_told_too() {
    for text in ["", "[]", "organization: 3", "a: [", "organization: {}", "null"] {
        assert!(!BusinessFile::read("x.yaml", text).unwrap_err().is_empty(), "{text}");
    }
}

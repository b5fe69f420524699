use serde_json::json;

use super::*;

fn salon() -> Catalog {
    let mut catalog = Catalog::default();
    catalog.learn(&json!({
        "services": [{"name": "Corte"}, {"name": "Barba"}, {"name": "Corte + Barba"}, {"name": "Corte infantil"}, {"name": "Luzes"}],
        "barbers": [{"name": "Caio Prado"}, {"name": "Yasmin Teles"}, {"name": "Ana Lima"}, {"name": "Ana Souza"}]
    }));
    catalog
}

fn clinic() -> Catalog {
    let mut catalog = Catalog::default();
    catalog.learn(&json!({
        "services": [{"name": "Consulta dermatológica"}, {"name": "Consulta de retorno"}, {"name": "Limpeza de pele"}],
        "barbers": ["Dra. Helena Matos", "Dr. Otávio Lins"]
    }));
    catalog
}

fn one(name: &str) -> Named {
    Named::One(name.to_owned())
}

#[test]
fn what_is_said_comes_before_what_it_may_mean() {
    let mut catalog = Catalog::default();
    catalog.learn(&json!({"services": [{"name": "Corte na máquina"}, {"name": "Corte de menino"}]}));
    let named = |text: &str| catalog.service_in(text);
    assert_eq!(named("corte na maquina pro meu filho"), Named::One("Corte na máquina".to_owned()));
    assert_eq!(named("corte pro meu filho"), Named::One("Corte de menino".to_owned()));
}

#[test]
fn services_are_named_by_their_words() {
    for (text, want) in [
        ("quero cortar o cabelo amanhã", one("Corte")),
        ("corte", one("Corte")),
        ("fazer a barba", one("Barba")),
        ("corte com barba", one("Corte + Barba")),
        ("cabelo e barba", one("Corte + Barba")),
        ("cortar o cabelo do meu filho", one("Corte infantil")),
        ("só corte, sem barba", one("Corte")),
        ("fazer luzes", one("Luzes")),
        ("bom dia", Named::Nothing),
        ("sexta 15h", Named::Nothing),
    ] {
        assert_eq!(salon().service_in(text), want, "{text:?}");
    }
    assert_eq!(clinic().service_in("limpesa de pele"), one("Limpeza de pele"));
    assert_eq!(clinic().service_in("limpeza"), one("Limpeza de pele"));
    assert_eq!(clinic().service_in("consulta de retorno"), one("Consulta de retorno"));
    let several = ["Consulta dermatológica", "Consulta de retorno"].map(str::to_owned).to_vec();
    assert_eq!(clinic().service_in("quero uma consulta"), Named::Several(several));
}

#[test]
fn professionals_are_named_by_part_sound_or_after_with() {
    for (text, want) in [
        ("com o caio", one("Caio Prado")),
        ("kaio tem horario?", one("Caio Prado")),
        ("com a iasmin", one("Yasmin Teles")),
        ("quero com a ana souza", one("Ana Souza")),
        ("com a ana", Named::Several(vec!["Ana Lima".to_owned(), "Ana Souza".to_owned()])),
        ("com o Zeca", Named::Unknown("Zeca".to_owned())),
        ("corte com barba", Named::Nothing),
        ("com certeza", Named::Nothing),
        ("pagar com cartão", Named::Nothing),
        ("amanhã às 15h", Named::Nothing),
    ] {
        assert_eq!(salon().professional_in(text), want, "{text:?}");
    }
    assert_eq!(clinic().professional_in("com a dra helena"), one("Dra. Helena Matos"));
    assert_eq!(clinic().professional_in("com o doutor otavio"), one("Dr. Otávio Lins"));
}

#[test]
fn what_a_name_begins_with_names_it() {
    let mut catalog = Catalog::default();
    catalog.learn(&json!({
        "services": [{"name": "Barba feita"}, {"name": "Corte e barba"}, {"name": "Sessão de fisioterapia"}]
    }));
    assert_eq!(catalog.service_in("quero a barba"), one("Barba feita"));
    assert_eq!(catalog.service_in("corte e barba amanhã"), one("Corte e barba"));
    assert_eq!(catalog.service_in("fisio"), one("Sessão de fisioterapia"));
    assert_eq!(catalog.service_in("a beard trim"), one("Barba feita"));
    assert_eq!(catalog.service_in("massagem"), Named::Nothing);
}

#[test]
fn several_services_are_several_unless_one_is_called_so() {
    let names = |list: &[&str]| list.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    assert_eq!(
        clinic().several_in("limpeza de pele pra mim e consulta de retorno pra ela"),
        names(&["Limpeza de pele", "Consulta de retorno"])
    );
    assert_eq!(salon().several_in("corte e barba"), names(&[]));
    assert_eq!(salon().several_in("corte infantil"), names(&[]));
}

#[test]
fn a_title_means_whoever_bears_it() {
    assert_eq!(clinic().professional_in("quero marcar com a dra"), one("Dra. Helena Matos"));
    assert_eq!(clinic().professional_in("com o doutor"), one("Dr. Otávio Lins"));
    assert_eq!(salon().professional_in("quero marcar com a dra"), Named::Nothing);
}

#[test]
fn another_act_on_a_known_object_is_no_known_service() {
    for (text, want) in [
        ("quero pintar o cabelo", "pintar o cabelo"),
        ("alisar meu cabelo", "alisar meu cabelo"),
        ("hidratação no cabelo amanhã", "hidratação no cabelo"),
        ("vcs pintam cabelo?", "pintam cabelo"),
        ("quero tingir a barba", "tingir a barba"),
        ("corte de unha", "corte de unha"),
        ("corte da unha sexta", "corte da unha"),
        ("i want to dye my hair", "dye my hair"),
        ("quero fazer um alisamento no cabelo com a ana", "alisamento no cabelo"),
    ] {
        assert_eq!(salon().service_in(text), Named::Unknown(want.to_owned()), "{text:?}");
    }
    let key = |text: &str| salon().other_act(text).map(|other| other.key);
    assert_eq!(key("quero pintar o cabelo"), Some("pintar".to_owned()));
    assert_eq!(key("vcs pintam cabelo?"), Some("pintar".to_owned()));
    assert_eq!(key("corte de unha"), Some("unha".to_owned()));
    assert_eq!(clinic().service_in("limpeza de pele"), one("Limpeza de pele"));
    assert_eq!(clinic().service_in("limpeza de sofá"), Named::Unknown("limpeza de sofá".to_owned()));
}

#[test]
fn everyday_acts_leave_the_object_to_its_service() {
    for (text, want) in [
        ("cortar o cabelo", one("Corte")),
        ("cotar o cabelo", one("Corte")),
        ("dar um trato no cabelo", one("Corte")),
        ("dar um tapa na barba", one("Barba")),
        ("aparar a barba", one("Barba")),
        ("tirar a barba", one("Barba")),
        ("fazem barba?", one("Barba")),
        ("qual o preço da barba", one("Barba")),
        ("marcar cabelo e barba", one("Corte + Barba")),
        ("corte de cabelo", one("Corte")),
        ("corte de cabelo amanhã", one("Corte")),
        ("corte do João", one("Corte")),
        ("corte de amanhã", one("Corte")),
        ("fazer luzes no cabelo", one("Luzes")),
        ("cut my hair", one("Corte")),
        ("i want a haircut for my kid", one("Corte infantil")),
        ("hidratar o cabelo e fazer a barba", one("Barba")),
    ] {
        assert_eq!(salon().service_in(text), want, "{text:?}");
    }
}

#[test]
fn each_person_has_a_wish() {
    let wishes = |text: &str| salon().several_in(text);
    assert_eq!(wishes("quero marcar pra mim e pro meu filho amanhã 15h"), ["quero marcar pra mim", "pro meu filho"]);
    assert_eq!(wishes("corte pra mim e barba pro meu pai sexta"), ["corte pra mim", "barba pro meu pai"]);
    assert_eq!(wishes("barba pra mim e pro meu irmão"), ["barba pra mim", "barba pro meu irmão"]);
    assert_eq!(wishes("pra mim corte e pro meu pai barba"), ["corte pra mim", "barba pro meu pai"]);
    assert_eq!(wishes("eu e meu irmão queremos cortar"), ["queremos cortar pra mim", "queremos cortar e meu irmão"]);
    assert_eq!(wishes("corte pra 2 pessoas sábado"), ["corte sábado pra mim", "corte sábado pra outra pessoa"]);
    assert_eq!(wishes("cabelo, barba e luzes"), ["Corte + Barba", "Luzes"]);
    assert_eq!(wishes("barba quinta e luzes na sexta"), ["barba quinta", "luzes na sexta"]);
    assert_eq!(wishes("corte na sexta e barba no sábado"), ["corte na sexta", "barba no sabado"]);
    assert_eq!(wishes("quero marcar pra mim sexta"), [""; 0]);
    assert_eq!(wishes("pra mim, depois do meu pai"), [""; 0]);
    assert_eq!(person_in("e barba pro meu pai"), Some("meu pai".to_owned()));
    assert_eq!(person_in("barba"), None);
}

//! Reads the tables `[function.f]` and `[table.t.computed.f]`.

use super::*;

impl Reader<'_, '_> {
    pub(super) fn function(&mut self, name: Text, value: &Value<'_>) -> Option<FunctionEntry> {
        const KEYS: [&str; 5] = ["name", "as", "session", "aggregate", "roles"];
        let mut entry = FunctionEntry::new(name);
        for (key, value) in self.table_of(&entry.key.clone(), value) {
            match key.value.as_str() {
                "name" => entry.name = self.text(&key, value),
                "as" => entry.exposure = self.exposure(&key, value),
                "session" => entry.session = self.text(&key, value),
                "aggregate" => entry.aggregate = self.text(&key, value),
                "roles" => entry.roles = self.callers(&key, value),
                _ => self.unknown(&key, "a function", &KEYS),
            }
        }
        Some(entry)
    }

    fn exposure(&mut self, key: &Text, value: &Value<'_>) -> Option<SpannedValue<Exposure>> {
        let text = self.text(key, value)?;
        let value = match text.value.as_str() {
            "query" => Exposure::Query,
            "mutation" => Exposure::Mutation,
            _ => {
                let help = "a function is a field of queries or of mutations: `query`, `mutation`".to_owned();
                let fault = Fault::UnknownWord { word: text.value, what: "kind of root field for a function" };
                self.report.add_with(fault, &text.span, Some(help));
                return None;
            }
        };
        Some(SpannedValue { value, span: text.span })
    }

    fn callers(&mut self, key: &Text, value: &Value<'_>) -> CallersEntry {
        match value.get_ref() {
            DeValue::String(text) if text == "select" => CallersEntry::Select(value.span()),
            DeValue::Array(_) => CallersEntry::These(self.list_of_texts(key, value)),
            _ => {
                self.wrong_type::<()>(key, "a list of roles or \"select\"", value);
                CallersEntry::These(vec![])
            }
        }
    }

    pub(super) fn computed(&mut self, name: Text, value: &Value<'_>) -> Option<ComputedEntry> {
        let (mut function, mut row, mut session) = (None, None, None);
        let pairs = self.table_of(&name, value);
        let has_function =
            pairs.iter().any(|(key, _)| key.value == "function") || !matches!(value.get_ref(), DeValue::Table(_));
        for (key, value) in pairs {
            match key.value.as_str() {
                "function" => function = self.text(&key, value),
                "row" => row = self.text(&key, value),
                "session" => session = self.text(&key, value),
                _ => self.unknown(&key, "a computed field", &["function", "row", "session"]),
            }
        }
        if !has_function {
            self.missing::<()>("function", format!("computed field `{}`", name.value), &name.span);
        }
        Some(ComputedEntry { name, function: function?, row, session })
    }
}

impl FunctionEntry {
    fn new(key: Text) -> FunctionEntry {
        let roles = CallersEntry::These(vec![]);
        FunctionEntry { key, name: None, exposure: None, session: None, aggregate: None, roles }
    }
}

//! No two files of a crate, or of the console, use each other, directly or through a third. Circles
//! that are not untied yet are listed, and the list may only become shorter.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::known_circles::KNOWN_CIRCLES;
use super::module_tree::ModuleTree;
use super::root;

/// Which files each file uses.
type Graph = BTreeMap<String, BTreeSet<String>>;

#[test]
fn no_two_files_of_a_crate_use_each_other() -> io::Result<()> {
    let known: Vec<Vec<&str>> = KNOWN_CIRCLES.iter().map(|circle| circle.to_vec()).collect();
    let mut circles = Vec::new();
    for crate_root in crate_roots()? {
        let graph = crate_graph(&root(), &crate_root)?;
        for circle in find_circles(&graph) {
            if !known.contains(&circle.iter().map(String::as_str).collect()) {
                print_uses(&graph, &circle);
            }
            circles.push(circle);
        }
    }
    assert_eq!(circles, known);
    Ok(())
}

#[test]
fn no_two_files_of_the_console_import_each_other() -> io::Result<()> {
    let graph = console_graph(&root().join("console/src"))?;
    assert_eq!(find_circles(&graph), Vec::<Vec<String>>::new());
    Ok(())
}

/// The root files of the libraries, programs and integration tests of the workspace.
fn crate_roots() -> io::Result<Vec<PathBuf>> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let manifest: toml::Table = manifest.parse().map_err(io::Error::other)?;
    let members = manifest["workspace"]["members"].as_array();
    let mut roots = Vec::new();
    for member in members
        .into_iter()
        .flatten()
        .filter_map(toml::Value::as_str)
    {
        let folder = root().join(member);
        for file in ["src/lib.rs", "src/main.rs", "tests/main.rs"] {
            roots.extend(folder.join(file).is_file().then(|| folder.join(file)));
        }
        roots.extend(rust_files(&folder.join("src/bin"))?);
        roots.extend(rust_files(&folder.join("benches"))?);
        // Beside `main.rs` are its modules.
        if !folder.join("tests/main.rs").exists() {
            roots.extend(rust_files(&folder.join("tests"))?);
        }
    }
    roots.sort();
    Ok(roots)
}

/// The Rust files in a folder, if there is one.
fn rust_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut files = fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<io::Result<Vec<PathBuf>>>()?;
    files.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
    Ok(files)
}

/// Which files of a crate use which, by their paths in the workspace.
fn crate_graph(workspace: &Path, crate_root: &Path) -> io::Result<Graph> {
    let tree = ModuleTree::read(crate_root)?;
    let mut graph = Graph::new();
    for (file, other) in tree.uses() {
        let uses = graph.entry(relative(workspace, file)).or_default();
        uses.insert(relative(workspace, other));
    }
    Ok(graph)
}

fn console_graph(folder: &Path) -> io::Result<Graph> {
    let mut graph = Graph::new();
    for entry in fs::read_dir(folder)? {
        let file = entry?.path();
        if !file.is_file() {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        let imported = console_imports(&text).filter_map(|name| {
            let files = ["ts", "tsx"].map(|extension| folder.join(format!("{name}.{extension}")));
            files.into_iter().find(|file| file.exists())
        });
        let imported = imported.map(|other| relative(folder, &other)).collect();
        graph.insert(relative(folder, &file), imported);
    }
    Ok(graph)
}

/// The names of the modules beside it that a file imports, types alone included.
fn console_imports(text: &str) -> impl Iterator<Item = &str> {
    let starts = ["from \"./", "import \"./", "import(\"./"];
    starts.into_iter().flat_map(move |start| {
        text.split(start)
            .skip(1)
            .filter_map(|rest| rest.split('"').next())
    })
}

fn relative(folder: &Path, file: &Path) -> String {
    let file = file.strip_prefix(folder).unwrap_or(file);
    file.to_string_lossy().into_owned()
}

/// The groups of files that use each other, directly or through others, by their names.
fn find_circles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&str, BTreeSet<&str>> = graph
        .keys()
        .map(|file| (file.as_str(), reach(graph, file)))
        .collect();
    let mut circles: Vec<Vec<String>> = Vec::new();
    for (file, others) in &reached {
        let is_found = circles.iter().flatten().any(|found| found == file);
        if !is_found && others.contains(file) {
            let circle = others
                .iter()
                .filter(|other| reached.get(*other).is_some_and(|back| back.contains(file)));
            circles.push(circle.map(ToString::to_string).collect());
        }
    }
    circles
}

/// Every file that a file uses, directly or through others.
fn reach<'g>(graph: &'g Graph, file: &str) -> BTreeSet<&'g str> {
    let mut reached = BTreeSet::new();
    let mut pending = vec![file];
    while let Some(next) = pending.pop() {
        for other in graph.get(next).into_iter().flatten() {
            if reached.insert(other.as_str()) {
                pending.push(other);
            }
        }
    }
    reached
}

/// Shows what must be untied.
fn print_uses(graph: &Graph, circle: &[String]) {
    eprintln!("a circle of {} files:", circle.len());
    for file in circle {
        let uses = graph.get(file).into_iter().flatten();
        let uses: Vec<&str> = uses
            .filter(|other| circle.contains(other))
            .map(String::as_str)
            .collect();
        eprintln!("  {file} uses {}", uses.join(", "));
    }
}

/// Writes the files of a crate and reads its graph.
fn graph_of_files(files: &[(&str, &str)]) -> io::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    for (name, text) in files {
        let file = folder.path().join(name);
        fs::create_dir_all(file.parent().unwrap_or(&file))?;
        fs::write(file, text)?;
    }
    let graph = crate_graph(folder.path(), &folder.path().join("lib.rs"))?;
    let uses = graph.iter().flat_map(|(file, others)| {
        others
            .iter()
            .map(move |other| format!("{file} uses {other}"))
    });
    Ok(uses.collect())
}

#[test]
fn uses_are_found_in_imports_paths_and_macros() -> io::Result<()> {
    let lib = ("lib.rs", "mod a; mod b; mod c; mod d; mod e;");
    let a = (
        "a.rs",
        "use crate::{b::B, c}; fn f(b: B) { c::f(); println!(\"{}\", super::d::D) }",
    );
    let b = ("b.rs", "pub struct B;");
    let c = ("c.rs", "pub fn f() { use crate::e::{E as F}; }");
    let d = ("d.rs", "#[cfg(test)] mod tests { use crate::a::f; }");
    let e = ("e.rs", "pub struct E; // crate::a::f");
    assert_eq!(
        graph_of_files(&[lib, a, b, c, d, e])?,
        [
            "a.rs uses b.rs",
            "a.rs uses c.rs",
            "a.rs uses d.rs",
            "c.rs uses e.rs",
        ]
    );
    Ok(())
}

#[test]
fn reexported_item_is_of_the_file_that_defines_it() -> io::Result<()> {
    let lib = ("lib.rs", "mod a; mod b; pub use a::A;");
    let a = ("a.rs", "mod inner; pub use inner::{A, f};");
    let inner = ("a/inner.rs", "pub struct A; pub fn f() {}");
    let b = ("b.rs", "use crate::A; fn g() { crate::a::f() }");
    assert_eq!(
        graph_of_files(&[lib, a, inner, b])?,
        ["b.rs uses a/inner.rs"]
    );
    Ok(())
}

#[test]
fn parent_uses_what_it_mentions_of_its_reexports() -> io::Result<()> {
    let lib = ("lib.rs", "mod a;");
    let a = ("a.rs", "mod inner; pub use inner::A; pub struct B(A);");
    let inner = ("a/inner.rs", "use super::B; pub struct A(Option<Box<B>>);");
    let uses = graph_of_files(&[lib, a, inner])?;
    assert_eq!(uses, ["a.rs uses a/inner.rs", "a/inner.rs uses a.rs"]);
    Ok(())
}

#[test]
fn circle_through_a_third_file_is_found() {
    let uses = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("e", "a")];
    let mut graph = Graph::new();
    for (file, other) in uses {
        graph
            .entry(file.to_owned())
            .or_default()
            .insert(other.to_owned());
    }
    assert_eq!(find_circles(&graph), [["a", "b", "c"]]);
}

//! The modules of a crate, read from its root file as rustc finds them: the names that each defines
//! and imports, and the paths that its code mentions. Unit tests are left out.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, Item, ItemMod, UseTree, Visibility};

/// How many imports lead from a name to its item, at most. It ends a search through globs that
/// import each other.
const MAX_IMPORTS: usize = 8;

/// A crate's modules. The first is the root.
#[derive(Default)]
pub(super) struct ModuleTree {
    modules: Vec<Module>,
}

/// One module, in a file of its own or in braces.
#[derive(Default)]
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: HashMap<String, usize>,
    items: HashSet<String>,
    imports: Vec<Import>,
    /// The modules and enums of which every name is imported.
    globs: Vec<Vec<String>>,
    /// The paths in its code, single names included.
    mentions: HashSet<Vec<String>>,
}

/// One name of a `use` item.
struct Import {
    name: String,
    path: Vec<String>,
    is_reexport: bool,
}

/// What a path leads to.
#[derive(Clone, Copy)]
enum Target {
    Module(usize),
    /// An item of this module.
    Item(usize),
}

impl ModuleTree {
    pub(super) fn read(root: &Path) -> io::Result<Self> {
        let mut tree = Self::default();
        let folder = root.parent().unwrap_or(root);
        tree.read_file(root, folder, None)?;
        Ok(tree)
    }

    fn read_file(
        &mut self,
        file: &Path,
        folder: &Path,
        parent: Option<usize>,
    ) -> io::Result<usize> {
        let text = fs::read_to_string(file)?;
        let parsed = syn::parse_file(&text)
            .map_err(|error| io::Error::other(format!("{}: {error}", file.display())))?;
        self.read_items(parsed.items, file, folder, parent)
    }

    /// Adds a module with these items. The files of its child modules are in `folder`.
    fn read_items(
        &mut self,
        items: Vec<Item>,
        file: &Path,
        folder: &Path,
        parent: Option<usize>,
    ) -> io::Result<usize> {
        let index = self.modules.len();
        self.modules.push(Module {
            file: file.to_owned(),
            parent,
            ..Module::default()
        });
        for item in items {
            match item {
                Item::Mod(item) if !is_test(&item.attrs) => {
                    self.read_child(item, file, folder, index)?;
                }
                Item::Use(item) if !is_test(&item.attrs) && item.leading_colon.is_none() => {
                    let is_reexport = !matches!(item.vis, Visibility::Inherited);
                    self.modules[index].add_imports(&item.tree, &mut Vec::new(), is_reexport);
                }
                Item::Mod(_) | Item::Use(_) => {}
                item => self.modules[index].add_item(&item),
            }
        }
        Ok(index)
    }

    fn read_child(
        &mut self,
        item: ItemMod,
        file: &Path,
        folder: &Path,
        parent: usize,
    ) -> io::Result<()> {
        let name = item.ident.to_string();
        let child_folder = folder.join(&name);
        let child = if let Some((_, items)) = item.content {
            self.read_items(items, file, &child_folder, Some(parent))?
        } else {
            let beside = folder.join(&name).with_extension("rs");
            let inside = child_folder.join("mod.rs");
            let file = if beside.exists() { beside } else { inside };
            self.read_file(&file, &child_folder, Some(parent))?
        };
        self.modules[parent].children.insert(name, child);
        Ok(())
    }

    /// Every pair of files of which the first uses an item of the second.
    pub(super) fn uses(&self) -> BTreeSet<(&Path, &Path)> {
        let mut uses = BTreeSet::new();
        for (index, module) in self.modules.iter().enumerate() {
            let imported = module.imports.iter().filter_map(|import| {
                let target = self.resolve(index, &import.path, 0)?;
                // A parent that re-exports what is in its children only says where it is.
                let is_used = !import.is_reexport || !self.is_inside(target, index);
                is_used.then_some(target)
            });
            let mentioned = module
                .mentions
                .iter()
                .filter_map(|path| self.resolve(index, path, 0));
            for target in imported.chain(mentioned) {
                // Who uses a module uses items of it, whose paths are mentioned.
                if let Target::Item(other) = target {
                    uses.insert((module.file.as_path(), self.modules[other].file.as_path()));
                }
            }
        }
        uses.retain(|(file, other)| file != other);
        uses
    }

    /// Whether what a path leads to is in a module or in its descendants.
    fn is_inside(&self, target: Target, index: usize) -> bool {
        let (Target::Module(inner) | Target::Item(inner)) = target;
        let mut ancestor = Some(inner);
        while let Some(module) = ancestor {
            if module == index {
                return true;
            }
            ancestor = self.modules[module].parent;
        }
        false
    }

    /// Follows a path from the module that mentions it. A path into another crate leads nowhere.
    fn resolve(&self, index: usize, path: &[String], imports: usize) -> Option<Target> {
        let (first, mut rest) = path.split_first()?;
        let mut target = match first.as_str() {
            "crate" => Target::Module(0),
            "self" => Target::Module(index),
            "super" => Target::Module(self.modules[index].parent?),
            name => self.find(index, name, rest.is_empty(), imports)?,
        };
        while let (Target::Module(module), Some((name, further))) = (target, rest.split_first()) {
            target = match name.as_str() {
                "self" => target,
                "super" => Target::Module(self.modules[module].parent?),
                // A name that is not found is of another crate, or made by a macro of the module.
                name => self
                    .find(module, name, further.is_empty(), imports)
                    .unwrap_or(Target::Item(module)),
            };
            rest = further;
        }
        Some(target)
    }

    /// The item or module of a name in a module. The last name of a path means an item first: a
    /// function and a module may have one name.
    fn find(&self, index: usize, name: &str, is_last: bool, imports: usize) -> Option<Target> {
        if imports > MAX_IMPORTS {
            return None;
        }
        let module = &self.modules[index];
        if module.items.contains(name) {
            return Some(Target::Item(index));
        }
        let child = module.children.get(name).copied().map(Target::Module);
        if child.is_some() && !is_last {
            return child;
        }
        let named = module
            .imports
            .iter()
            .filter(|import| import.name == name)
            .find_map(|import| self.resolve(index, &import.path, imports + 1));
        if named.is_some() || child.is_some() {
            return named.or(child);
        }
        module.globs.iter().find_map(|path| {
            match self.resolve(index, path, imports + 1)? {
                Target::Module(other) => self.find(other, name, is_last, imports + 1),
                // The variants of an enum.
                Target::Item(_) => None,
            }
        })
    }
}

impl Module {
    fn add_imports(&mut self, tree: &UseTree, path: &mut Vec<String>, is_reexport: bool) {
        match tree {
            UseTree::Path(inner) => {
                path.push(inner.ident.to_string());
                self.add_imports(&inner.tree, path, is_reexport);
                path.pop();
            }
            UseTree::Group(group) => {
                for inner in &group.items {
                    self.add_imports(inner, path, is_reexport);
                }
            }
            UseTree::Glob(_) => self.globs.push(path.clone()),
            UseTree::Name(name) if name.ident == "self" => {
                let module = path.last().cloned().unwrap_or_default();
                self.add_import(module, path.clone(), is_reexport);
            }
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let path = [path.as_slice(), std::slice::from_ref(&name)].concat();
                self.add_import(name, path, is_reexport);
            }
            UseTree::Rename(renamed) => {
                let path = [path.as_slice(), &[renamed.ident.to_string()]].concat();
                self.add_import(renamed.rename.to_string(), path, is_reexport);
            }
        }
    }

    fn add_import(&mut self, name: String, path: Vec<String>, is_reexport: bool) {
        self.imports.push(Import {
            name,
            path,
            is_reexport,
        });
    }

    fn add_item(&mut self, item: &Item) {
        let (name, attributes) = match item {
            Item::Const(item) => (Some(&item.ident), &item.attrs),
            Item::Enum(item) => (Some(&item.ident), &item.attrs),
            Item::Fn(item) => (Some(&item.sig.ident), &item.attrs),
            Item::Impl(item) => (None, &item.attrs),
            Item::Macro(item) => (item.ident.as_ref(), &item.attrs),
            Item::Static(item) => (Some(&item.ident), &item.attrs),
            Item::Struct(item) => (Some(&item.ident), &item.attrs),
            Item::Trait(item) => (Some(&item.ident), &item.attrs),
            Item::Type(item) => (Some(&item.ident), &item.attrs),
            _ => return,
        };
        if is_test(attributes) {
            return;
        }
        self.items.extend(name.map(ToString::to_string));
        add_mentions(item.to_token_stream(), &[], &mut self.mentions);
    }
}

/// Whether an item is compiled for unit tests alone.
fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Path>()
                .is_ok_and(|condition| condition.is_ident("test"))
    })
}

/// Collects the paths in tokens, those in macros and in braces behind `prefix::` included.
fn add_mentions(tokens: TokenStream, prefix: &[String], mentions: &mut HashSet<Vec<String>>) {
    let mut tokens = tokens.into_iter().peekable();
    let mut path: Vec<String> = prefix.to_vec();
    // Names behind a dot are fields and methods, behind a quote lifetimes.
    let mut is_path_start = true;
    while let Some(token) = tokens.next() {
        match token {
            TokenTree::Ident(name) if is_path_start => {
                path.push(name.to_string());
                let is_followed = next_is(&mut tokens, ':') && {
                    tokens.next();
                    let is_separator = next_is(&mut tokens, ':');
                    if is_separator {
                        tokens.next();
                    }
                    is_separator
                };
                let is_path_ending =
                    !is_followed || !matches!(tokens.peek(), Some(TokenTree::Ident(_)));
                if let (true, Some(TokenTree::Group(group))) = (is_followed, tokens.peek())
                    && group.delimiter() == Delimiter::Brace
                {
                    add_mentions(group.stream(), &path, mentions);
                    tokens.next();
                }
                if is_path_ending {
                    mentions.insert(std::mem::replace(&mut path, prefix.to_vec()));
                }
            }
            TokenTree::Group(group) => {
                add_mentions(group.stream(), &[], mentions);
                is_path_start = true;
            }
            TokenTree::Punct(punct) => is_path_start = !['.', '\''].contains(&punct.as_char()),
            TokenTree::Ident(_) | TokenTree::Literal(_) => is_path_start = true,
        }
    }
}

fn next_is(
    tokens: &mut std::iter::Peekable<proc_macro2::token_stream::IntoIter>,
    character: char,
) -> bool {
    matches!(tokens.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

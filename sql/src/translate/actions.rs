//! Translates operations that select actions. The fields of the database between the actions become
//! translations of their own, and so do the rows that relations lead to from an answer.

use std::sync::Arc;

use super::lower::{lower, roots};
use super::row_limits::row_limits;
use super::translation::{
    CompositeOperation, OperationPart, TranslateError, Translation, TranslationKind,
};
use crate::graphql::document::OperationKind;
use crate::graphql::variables::VariableFingerprint;
use crate::model::access::Access;
use crate::resolve::Options;
use crate::resolve::selection::{Root, RootSelection, Rows, Selection};

/// The response key of the rows that a relation leads to.
const ROWS: &str = "rows";

pub(super) fn selects_actions(selection: &Selection<'_>) -> bool {
    selection
        .roots
        .iter()
        .any(|root| matches!(root.selection, RootSelection::Action(_)))
}

/// Plans and renders a selection that contains actions.
pub(super) fn lower_composite(
    access: &Access,
    kind: OperationKind,
    selection: Selection<'_>,
    structure: VariableFingerprint,
    options: Options,
) -> Result<Translation, TranslateError> {
    let roots = roots(&selection);
    let requires_row = selection.required.is_some();
    let row_limits = row_limits(access, &selection.roots);
    let fields = |roots, required| {
        let fields = lower(
            access,
            kind,
            &Selection { roots, required },
            VariableFingerprint::default(),
            options,
        )?;
        Ok::<_, TranslateError>(OperationPart::Fields(Arc::new(fields)))
    };
    let mut parts = vec![];
    let mut actions = vec![];
    let mut pending = vec![];
    let mut required = selection.required;
    for Root { key, selection } in selection.roots {
        match selection {
            RootSelection::Action(call) => {
                if kind == OperationKind::Mutation && (!pending.is_empty() || required.is_some()) {
                    parts.push(fields(std::mem::take(&mut pending), required.take())?);
                }
                let call = call.try_map(&|rows| related(access, rows, options))?;
                let actions = if kind == OperationKind::Mutation {
                    &mut parts
                } else {
                    &mut actions
                };
                actions.push(OperationPart::Action { key, call });
            }
            // The gateway merges the result of introspection with the response.
            RootSelection::Introspection => {}
            selection => pending.push(Root { key, selection }),
        }
    }
    if !pending.is_empty() || required.is_some() {
        parts.push(fields(pending, required)?);
    }
    parts.append(&mut actions);
    let translation_kind = TranslationKind::Composite(Box::new(CompositeOperation {
        parts,
        requires_row,
        row_limits,
    }));
    Ok(Translation::new(translation_kind, roots, structure))
}

/// The translation of the rows that a relation leads to. It has a batch, so that one statement
/// reads the rows of all objects of an answer.
fn related(
    access: &Access,
    rows: Rows<'_>,
    options: Options,
) -> Result<Arc<Translation>, TranslateError> {
    let roots = vec![Root {
        key: ROWS.to_owned(),
        selection: RootSelection::List(rows),
    }];
    let selection = Selection {
        roots,
        required: None,
    };
    let structure = VariableFingerprint::default();
    Ok(Arc::new(lower(
        access,
        OperationKind::Subscription,
        &selection,
        structure,
        options,
    )?))
}

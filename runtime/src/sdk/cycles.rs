//! Cuts named types that refer to themselves without anything in between, e.g. `A = A | string`: no language takes them.

use super::model::{Described, Model, Type};

/// Takes such references out of their unions and intersections.
pub(super) fn cut(model: &mut Model) {
    let edges: Vec<Vec<usize>> = model
        .named
        .iter()
        .map(|named| unguarded(&named.described.ty))
        .collect();
    // 0: not seen, 1: on the way, 2: done.
    let mut state = vec![0_u8; edges.len()];
    let mut back: Vec<Vec<usize>> = vec![Vec::new(); edges.len()];
    for start in 0..edges.len() {
        let mut stack = vec![(start, 0_usize)];
        if state[start] != 0 {
            continue;
        }
        state[start] = 1;
        while let Some((node, next)) = stack.last_mut() {
            let node = *node;
            match edges[node].get(*next) {
                Some(&target) => {
                    *next += 1;
                    match state[target] {
                        0 => {
                            state[target] = 1;
                            stack.push((target, 0));
                        }
                        1 => back[node].push(target),
                        _ => {}
                    }
                }
                None => {
                    state[node] = 2;
                    stack.pop();
                }
            }
        }
    }
    for (named, targets) in model.named.iter_mut().zip(back) {
        if !targets.is_empty() {
            let ty = std::mem::take(&mut named.described.ty);
            named.described.ty = without(ty, &targets).unwrap_or_default();
        }
    }
}

/// The named types that a value of this type may be itself.
fn unguarded(ty: &Type) -> Vec<usize> {
    match ty {
        Type::Named(index) => vec![*index],
        Type::Union(members) => members
            .iter()
            .flat_map(|member| unguarded(&member.ty))
            .collect(),
        Type::Intersection(parts) => parts.iter().flat_map(unguarded).collect(),
        _ => Vec::new(),
    }
}

fn without(ty: Type, targets: &[usize]) -> Option<Type> {
    match ty {
        Type::Named(index) if targets.contains(&index) => None,
        Type::Union(members) => {
            let kept = members.into_iter().filter_map(|member| {
                without(member.ty, targets).map(|ty| Described {
                    ty,
                    doc: member.doc,
                })
            });
            let kept: Vec<Described> = kept.collect();
            (!kept.is_empty()).then(|| Type::union(kept))
        }
        Type::Intersection(parts) => {
            let kept: Vec<Type> = parts
                .into_iter()
                .filter_map(|part| without(part, targets))
                .collect();
            (!kept.is_empty()).then(|| Type::intersection(kept))
        }
        other => Some(other),
    }
}

//! Compiles a program that blanking can't do: oxc's TypeScript transform, printed with a source map.

use std::path::{Path, PathBuf};

use oxc_allocator::Allocator;
use oxc_ast::ast::{Program, Statement};
use oxc_codegen::{Codegen, CodegenOptions};
use oxc_diagnostics::Diagnostics;
use oxc_semantic::SemanticBuilder;
use oxc_transformer::{TransformOptions, Transformer};

use crate::place::Place;
use crate::strip::{Mapping, Stripped};

/// The JavaScript of `program`; `Err` where the transform refuses something in it.
pub(crate) fn compile<'a>(
    allocator: &'a Allocator,
    program: &mut Program<'a>,
) -> Result<Stripped, Diagnostics> {
    // The engine reports early errors itself, at their mapped places: the check is left out here.
    let semantic = SemanticBuilder::new()
        .with_build_nodes(false)
        .with_enum_eval(true)
        .build(program)
        .semantic;
    let scoping = semantic.into_scoping();
    let transformed = Transformer::new(
        allocator,
        Path::new("program.ts"),
        &TransformOptions::default(),
    )
    .build_with_scoping(scoping, program);
    if transformed.diagnostics.has_errors() {
        return Err(transformed.diagnostics);
    }
    // Where only type imports stood, the transform leaves `export {}` to say that this is a module. It is none.
    program
        .body
        .retain(|statement| !matches!(statement, Statement::ExportNamedDeclaration(_)));
    let options = CodegenOptions {
        source_map_path: Some(PathBuf::from("program.ts")),
        ..CodegenOptions::default()
    };
    let printed = Codegen::new().with_options(options).build(program);
    let mappings = printed.map.map_or_else(Vec::new, |map| {
        map.get_tokens()
            .map(|token| Mapping {
                generated: place(token.get_dst_line(), token.get_dst_col()),
                original: place(token.get_src_line(), token.get_src_col()),
            })
            .collect()
    });
    Ok(Stripped {
        source: printed.code,
        mappings,
    })
}

/// A place of a source map, which counts from 0.
fn place(line: u32, column: u32) -> Place {
    Place {
        line: line.saturating_add(1),
        column: column.saturating_add(1),
    }
}

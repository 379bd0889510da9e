//! Checks that the suites of this crate share.

use lockgate_guest_typescript::{Diagnostic, Stripped, Stripper};
use oxc_allocator::Allocator;
use oxc_ast::ast::{Directive, Expression, Program, Statement};
use oxc_ast_visit::{VisitMut, walk_mut};
use oxc_codegen::{Codegen, CodegenOptions, CommentOptions};
use oxc_parser::{ParseOptions, Parser};
use oxc_semantic::SemanticBuilder;
use oxc_span::SourceType;
use oxc_transformer::{TransformOptions, Transformer};

/// Strips with a fresh stripper.
pub(crate) fn strip(source: &str) -> Result<Stripped, Vec<Diagnostic>> {
    Stripper::default().strip(source)
}

/// `source` is blanked and gives `expected`.
#[track_caller]
pub(crate) fn blanked(source: &str, expected: &str) {
    let stripped = strip(source).unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    assert_eq!(stripped.source, expected, "{source}");
    assert_eq!(stripped.mappings, [], "{source}");
    assert_places_kept(source, &stripped.source);
    assert_same_meaning(source, &stripped.source);
}

/// `source` is JavaScript already.
#[track_caller]
pub(crate) fn unchanged(source: &str) {
    blanked(source, source);
}

/// `source` is compiled to `expected`.
#[track_caller]
pub(crate) fn compiled(source: &str, expected: &str) {
    let stripped = strip(source).unwrap_or_else(|errors| panic!("{source}: {errors:?}"));
    assert_eq!(stripped.source, expected, "{source}");
    assert_ne!(stripped.mappings, [], "{source}");
}

/// `source` is refused with `message` first, and a help text with `help` in it.
#[track_caller]
pub(crate) fn refused(source: &str, message: &str, help: Option<&str>) {
    let errors = strip(source).expect_err(source);
    assert_eq!(errors[0].message, message, "{source}");
    if let Some(help) = help {
        assert!(
            errors[0]
                .help
                .as_ref()
                .is_some_and(|text| text.contains(help)),
            "{source}: {errors:?}"
        );
    }
}

/// `source` is refused with `message` first, there.
#[track_caller]
pub(crate) fn refused_at(source: &str, line: u32, column: u32, message: &str) {
    let errors = strip(source).expect_err(source);
    let place = errors[0].place;
    assert_eq!(
        (place.line, place.column, errors[0].message.as_str()),
        (line, column, message)
    );
}

/// Every UTF-16 unit of `output` is the one of `source` at the same place, or one that blanking puts there.
#[track_caller]
pub(crate) fn assert_places_kept(source: &str, output: &str) {
    let (before, after): (Vec<u16>, Vec<u16>) = (
        source.encode_utf16().collect(),
        output.encode_utf16().collect(),
    );
    assert_eq!(before.len(), after.len(), "{source}");
    for (index, (was, is)) in before.iter().zip(&after).enumerate() {
        let placed = [' ', ';', '(', ')', '/'].map(|character| character as u16);
        assert!(was == is || placed.contains(is), "{source} at {index}");
    }
}

/// `output` is JavaScript that prints as what oxc's transform makes of `source`, unless that is no JavaScript itself: the
/// parser lets some nonsense pass, which is the engine's to refuse.
#[track_caller]
pub(crate) fn assert_same_meaning(source: &str, output: &str) {
    let allocator = Allocator::default();
    let source_type = SourceType::ts().with_module(true);
    let mut expected =
        parse(&allocator, source, source_type).expect("the program was parsed before");
    let scoping = SemanticBuilder::new()
        .with_enum_eval(true)
        .build(&expected)
        .semantic
        .into_scoping();
    let options = TransformOptions::default();
    let _ = Transformer::new(&allocator, "program.ts".as_ref(), &options)
        .build_with_scoping(scoping, &mut expected);
    let expected = print(&mut expected);
    if parse(&allocator, &expected, SourceType::mjs()).is_err() {
        return;
    }
    match parse(&allocator, output, SourceType::mjs()) {
        Ok(mut actual) => assert_eq!(print(&mut actual), expected, "{source}\n{output}"),
        Err(error) => panic!("{source}\n{output}\n{error}"),
    }
}

fn parse<'a>(
    allocator: &'a Allocator,
    source: &'a str,
    source_type: SourceType,
) -> Result<Program<'a>, String> {
    let options = ParseOptions {
        allow_return_outside_function: true,
        preserve_parens: false,
        ..ParseOptions::default()
    };
    let parsed = Parser::new(allocator, source, source_type)
        .with_options(options)
        .parse();
    if parsed.diagnostics.has_errors() {
        Err(format!("{:?}", parsed.diagnostics))
    } else {
        Ok(parsed.program)
    }
}

/// Prints without comments, empty statements and the `export {}` that marks a module. Strings that are statements go too:
/// a blanked cast may make one a directive, which changes nothing in a strict program.
fn print(program: &mut Program<'_>) -> String {
    struct Clean;
    impl<'a> VisitMut<'a> for Clean {
        fn visit_statements(&mut self, statements: &mut oxc_allocator::Vec<'a, Statement<'a>>) {
            statements.retain(|statement| match statement {
                Statement::EmptyStatement(_) | Statement::ExportNamedDeclaration(_) => false,
                Statement::ExpressionStatement(statement) => {
                    !matches!(statement.expression, Expression::StringLiteral(_))
                }
                _ => true,
            });
            walk_mut::walk_statements(self, statements);
        }

        fn visit_directives(&mut self, directives: &mut oxc_allocator::Vec<'a, Directive<'a>>) {
            directives.clear();
        }
    }
    Clean.visit_program(program);
    program.hashbang = None;
    let options = CodegenOptions {
        comments: CommentOptions::disabled(),
        ..CodegenOptions::default()
    };
    let printed = Codegen::new().with_options(options).build(program).code;
    // An erased declaration as the body of a loop is an empty statement or an empty block.
    printed.replace(" {}\n", ";\n")
}

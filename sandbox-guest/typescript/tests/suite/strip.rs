//! What becomes of TypeScript programs: cases by hand, each also held against oxc's own transform.

use crate::support::{blanked, compiled, refused, refused_at, unchanged};

// SPEC J7: erasable syntax runs as is, every character in its place.
#[test]
fn annotations() {
    blanked("let a: number = 1;", "let a         = 1;");
    blanked("let a!: T\na = 1", "let a    \na = 1");
    blanked(
        "const f = (a?: T, ...b: U[]): V => a",
        "const f = (a    , ...b     )    => a",
    );
    blanked(
        "function f<T>(this: X, a: T): a is U { return a }",
        "function f   (         a   )         { return a }",
    );
    blanked(
        "function f(this: X): asserts x is U {}",
        "function f(       )                 {}",
    );
    blanked(
        "try {} catch (e: unknown) {}",
        "try {} catch (e         ) {}",
    );
    blanked(
        "const {a, b}: {a: 1; b: 2} = x",
        "const {a, b}               = x",
    );
    blanked(
        "for (const [k, v] of x as Map<A, B>) {}",
        "for (const [k, v] of x             ) {}",
    );
    blanked(
        "let s: unique symbol; let o: { f(): void };",
        "let s               ; let o               ;",
    );
    blanked(
        "const f = async <T,>(x: T): Promise<T> => x",
        "const f = async     (x   )             => x",
    );
    blanked(
        "const o = { get x(): T { return 1 }, set x(v: T) {}, async *m<T>(a: T) {} }",
        "const o = { get x()    { return 1 }, set x(v   ) {}, async *m   (a   ) {} }",
    );
    blanked(
        "let f: (a: number) => void = x, g: new () => T",
        "let f                      = x, g             ",
    );
    blanked("type A = 1; let x: A", ";           let x   ");
}

#[test]
fn wide_characters_in_types_keep_the_columns() {
    blanked("let a: 'é😀' = 'ü😀'; b", "let a        = 'ü😀'; b");
    blanked("f(a as Größe, 'x')", "f(a         , 'x')");
    blanked(
        "let a: /* 😀\r\n */ T = 1; b",
        "let a       \r\n      = 1; b",
    );
}

#[test]
fn expressions() {
    blanked("x = a as T as unknown as U;", "x = a                     ;");
    blanked("x = a satisfies T, b", "x = a            , b");
    blanked("x = <T>a; y = <T><U>b", "x =    a; y =       b");
    blanked("a!.b![0]!(1)!", "a .b [0] (1) ");
    blanked("a! = b; c! += 1; d!++", "a  = b; c  += 1; d ++");
    blanked(
        "f<T>(x); new G<T>(x); t<T>`x`; a?.<T>(b)",
        "f   (x); new G   (x); t   `x`; a?.   (b)",
    );
    blanked("const g = f<T>;", "const g = f   ;");
    blanked(
        "(a as any) = 5; (<any>b).c = 1; [d as T] = e",
        "(a       ) = 5; (     b).c = 1; [d     ] = e",
    );
    blanked(
        "for (const x of a!) y(x as T)",
        "for (const x of a ) y(x     )",
    );
    blanked("x = [1, 2] as const", "x = [1, 2]         ");
    blanked("x = `${a as T}${b!}`", "x = `${a     }${b }`");
    blanked("a - b as T - c", "a - b      - c");
    blanked("x = a! /* ! */ !== b", "x = a  /* ! */ !== b");
    blanked("x = a /* ! */ !", "x = a /* ! */  ");
    blanked(
        "delete a!.b; typeof a!; void (a as T)",
        "delete a .b; typeof a ; void (a     )",
    );
}

#[test]
fn declarations() {
    blanked("interface A { b: 1 }\nlet c", ";                   \nlet c");
    blanked(
        "declare const x: T; declare function f(): T; declare class A {}",
        ";                   ;                        ;                 ",
    );
    blanked(
        "declare global { var x: 1 }\ndeclare module 'x' { }\ndeclare namespace N { let x: 1 }\ndeclare enum E { A }",
        ";                          \n;                     \n;                               \n;                   ",
    );
    blanked(
        "namespace N { export type T = 1; export namespace M { interface A {} } }",
        ";                                                                       ",
    );
    blanked(
        "function f(a: string): void;\nfunction f(a: any) {}",
        ";                           \nfunction f(a     ) {}",
    );
    blanked(
        "abstract class A { abstract f(): void; abstract x: T; abstract get y(): T; g() {} }",
        "         class A { ;                   ;              ;                    g() {} }",
    );
    blanked(
        "import type { A } from 'a'; import type B from 'b'; export type { C }; export type D = 1; export interface E {}; export {}",
        ";                           ;                       ;                  ;                  ;                    ; ;        ",
    );
    blanked(
        "if (a) { type T = 1 } else { interface I {} }",
        "if (a) { ;          } else { ;              }",
    );
}

#[test]
fn classes() {
    blanked(
        "class A<T> extends B<T> implements C, D<T> { }",
        "class A    extends B                       { }",
    );
    blanked(
        "class A implements B {}; x = class implements C { }",
        "class A              {}; x = class              { }",
    );
    blanked(
        "class A { private static readonly x: T = 1; public y?: T; z!: T; protected override async *m?(): T {} }",
        "class A {         static          x    = 1;        y    ; z    ;                    async *m ()    {} }",
    );
    blanked(
        "class A { declare x: T; [k: string]: T; f(): void; f() {} constructor(a: T); constructor(a) {} }",
        "class A { ;             ;               ;          f() {} ;                  constructor(a) {} }",
    );
    blanked(
        "class A { 'a b'?: T; 1: T; #p: T = 1; ['c']?: T; [d as T]!: U }",
        "class A { 'a b'    ; 1   ; #p    = 1; ['c']    ; [d     ]     }",
    );
    blanked(
        "class A { readonly; private = 1; public() {} static; readonly readonly: T }",
        "class A { readonly; private = 1; public() {} static;          readonly    }",
    );
    blanked(
        "class A { static { let x: T = 1 } get x(): T { return 1 } private set x(v: T) {} }",
        "class A { static { let x    = 1 } get x()    { return 1 }         set x(v   ) {} }",
    );
    blanked(
        "class A extends (B as any)<T> {}",
        "class A extends (B       )    {}",
    );
    blanked(
        "class A { private /* readonly */ x = 1 }",
        "class A {         /* readonly */ x = 1 }",
    );
}

// The blanked text must end its statements where TypeScript ended them.
#[test]
fn line_breaks_that_end_statements() {
    blanked("x = a as T\n(b)", "x = a;    \n(b)");
    blanked("x = a as T\n[b]", "x = a;    \n[b]");
    blanked("x = a satisfies T // c\n`b`", "x = a;            // c\n`b`");
    blanked(
        "const f = () => a as T\n;(b)",
        "const f = () => a     \n;(b)",
    );
    blanked("x = a as T as U\n(b)", "x = a     ;    \n(b)");
    blanked("x = a\ntype T = 1\n(b)", "x = a\n;         \n(b)");
    blanked("x = a\ninterface I {}\n[b]", "x = a\n;             \n[b]");
    blanked(
        "x = a\ndeclare let y: T\n`b`",
        "x = a\n;               \n`b`",
    );
    blanked(
        "class A { x = a as T\n[y] = 1 }",
        "class A { x = a;    \n[y] = 1 }",
    );
    blanked(
        "class A { x = 1\nprivate [y] = 1 }",
        "class A { x = 1\n;       [y] = 1 }",
    );
    blanked(
        "class A { x = 1\npublic *y() {} }",
        "class A { x = 1\n;      *y() {} }",
    );
    blanked(
        "class A { x = 1\npublic in = 1 }",
        "class A { x = 1\n;      in = 1 }",
    );
    blanked("class A { get: T\nf() {} }", "class A { get;  \nf() {} }");
    blanked(
        "class A { set?\nf() {} static: T\ng() {} }",
        "class A { set;\nf() {} static;  \ng() {} }",
    );
    blanked("let x: T\n[a] = b", "let x   \n[a] = b");
    blanked("let x: T\n(a)", "let x   \n(a)");
    blanked("a!\n(b)", "a \n(b)");
}

#[test]
fn line_breaks_that_must_not_end_up_before_an_arrow() {
    blanked("f = (a):\n T => a", "f = (a  \n ) => a");
    blanked("f = (a): {\n b: 1\n} => a", "f = (a    \n     \n) => a");
    blanked("f = (a /* ) */)\n: T => a", "f = (a /* ) */ \n  ) => a");
    blanked(
        "f = async <\nT\n>(a: T) => a",
        "f = async (\n \n  a   ) => a",
    );
    blanked("f = <\nT,>(a: T) => a", "f = (\n    a   ) => a");
    blanked("f = (a): x is\nÑ => a", "f = (a       \n) => a");
}

// Blanking alone would change the meaning: these are compiled.
#[test]
fn what_blanking_would_change_is_compiled() {
    compiled("x = -a as any ** b", "x = (-a) ** b;\n");
    compiled("f = () => <T>{ a: 1 }", "f = () => ({ a: 1 });\n");
    compiled("<any>{ a: 1 };", "({ a: 1 });\n");
    compiled("<any>function() {}", "(function() {});\n");
    compiled("<T>\n{}", "({});\n");
    compiled(
        "function f() { return <T>\nx }",
        "function f() {\n\treturn x;\n}\n",
    );
    compiled("throw <T>\nx", "throw x;\n");
    compiled(
        "function* g() { yield <\nT>x }",
        "function* g() {\n\tyield x;\n}\n",
    );
}

// SPEC J7
#[test]
fn syntax_with_code_of_its_own_is_compiled() {
    compiled(
        "enum A { B, C = 5, D }",
        "var A = /* @__PURE__ */ function(A) {\n\tA[A[\"B\"] = 0] = \"B\";\n\tA[A[\"C\"] = 5] = \"C\";\n\tA[A[\"D\"] = 6] = \"D\";\n\treturn A;\n}(A || {});\n",
    );
    compiled(
        "class A { constructor(private x: T, readonly y = 1) {} }",
        "class A {\n\tx;\n\ty;\n\tconstructor(x, y = 1) {\n\t\tthis.x = x;\n\t\tthis.y = y;\n\t}\n}\n",
    );
    compiled(
        "namespace N { export const a = 1; export function f() { return a } }",
        "let N;\n(function(_N) {\n\tconst a = _N.a = 1;\n\tfunction f() {\n\t\treturn a;\n\t}\n\t_N.f = f;\n})(N || (N = {}));\n",
    );
    compiled(
        "import type { A } from 'a'\nimport B = N.C; enum E {}\nB()",
        "var B = N.C;\nvar E = /* @__PURE__ */ function(E) {\n\treturn E;\n}(E || {});\nB();\n",
    );
    compiled(
        "const enum A { B = 'b' }\nreturn A.B",
        "var A = /* @__PURE__ */ function(A) {\n\tA[\"B\"] = \"b\";\n\treturn A;\n}(A || {});\nreturn A.B;\n",
    );
}

#[test]
fn plain_javascript_is_unchanged() {
    unchanged("");
    unchanged("\u{feff}return 1");
    unchanged(
        "'use strict'\nconst a = await tools.f({ a: 1 })\r\nlabel: for (;;) { break label }\nreturn a",
    );
    unchanged(
        "x = a < b > c; y = a ? (b) : c => d; z = /[(`'\"]/u.test(w) // as T\n/* let x: T */",
    );
    unchanged(
        "class A { static async *[x]() {} get; set; static; #p = 1; static {} get a() { return #p in this } }",
    );
    unchanged(
        "const as = 1, type = 2, satisfies = 3, declare = 4, namespace = 5, module = 6; as\ntype\ndeclare\nnamespace\nmodule",
    );
    unchanged("if (a) return; else throw b\nimport('x'); async () => { await 0 }");
    blanked(
        "#!/usr/bin/env lockgate\nreturn 1",
        "///usr/bin/env lockgate\nreturn 1",
    );
}

#[test]
fn modules_decorators_and_accessors_are_refused_with_a_mend() {
    for program in [
        "import fs from 'fs'",
        "import 'fs'",
        "import { type A } from 'a'",
        "import a = require('a')",
    ] {
        refused(program, "A program can't import modules", Some("`tools`"));
    }
    for program in [
        "export const a = 1",
        "export default 1",
        "export * from 'a'",
        "export { a } from 'a'",
        "let a; export { a }",
        "export = a",
        "export function f() {}",
    ] {
        refused(program, "A program can't export", Some("`return value`"));
    }
    refused(
        "@a class B {}",
        "Decorators are not supported",
        Some("by hand"),
    );
    refused(
        "class B { @a() c = 1; @d e() {} }",
        "Decorators are not supported",
        Some("by hand"),
    );
    refused(
        "class B { f(@a b) {} }",
        "Decorators are not supported",
        Some("by hand"),
    );
    refused(
        "class B { accessor c = 1 }",
        "`accessor` fields are not supported",
        Some("getter"),
    );
    refused(
        "class A { #p; f(x) { return #p in x as any + 1 } }",
        "A cast has to be in parentheses here",
        Some("(a as T)"),
    );
    refused(
        "namespace N { @a class B {} }",
        "Decorators are not supported",
        Some("by hand"),
    );
}

// SPEC J7
#[test]
fn errors_have_lines_and_utf16_columns() {
    refused_at("let a = 1\n\nlet '😀'", 3, 5, "Unexpected token");
    refused_at(
        "x = '😀'; import 'a'\n@b class C {}",
        1,
        11,
        "A program can't import modules",
    );
    refused_at(
        "const a = {\n  b: 1\n  c: 2\n}",
        3,
        3,
        "Expected `,` or `}` but found `c`",
    );
    refused_at(
        "return <div>x</div>",
        1,
        15,
        "Unterminated regular expression",
    );
    refused_at(
        "function f() { await x }",
        1,
        16,
        "`await` is only allowed within async functions and at the top levels of modules",
    );
}

// What models get wrong, said so that they can mend it.
#[test]
fn common_mistakes_are_named() {
    for (program, line, column, message, help) in [
        (
            "const s = 'it's';",
            1,
            15,
            "`s` can't follow what stands before it",
            "quote",
        ),
        (
            "return f(x))",
            1,
            12,
            "`)` can't follow what stands before it",
            "bracket",
        ),
        (
            "const a = 1 const b = 2",
            1,
            13,
            "`const` can't follow what stands before it",
            "`;`",
        ),
        (
            "const xs = [1, 2\nreturn xs",
            2,
            1,
            "Expected `,` or `]` but found `return`",
            "`[` was opened at 1:12.",
        ),
        (
            "function f() {\n",
            2,
            1,
            "Expected `}` but found the end of the program",
            "`{` was opened at 1:14.",
        ),
        (
            "\n```ts\nreturn 1\n```",
            2,
            1,
            "The program starts with a Markdown fence",
            "the code alone",
        ),
        (
            "xs.map(x => { await x })",
            1,
            15,
            "`await` is only allowed within async functions and at the top levels of modules",
            "`async`",
        ),
    ] {
        refused_at(program, line, column, message);
        refused(program, message, Some(help));
    }
}

#[test]
fn an_answer_is_bounded() {
    let many = "import 'a';\n".repeat(1000);
    let diagnostics = crate::support::strip(&many).unwrap_err();
    assert_eq!(diagnostics.len(), 20);
    assert_eq!(diagnostics[19].place.line, 20);
    refused_at(
        &" ".repeat((2 << 20) + 1),
        1,
        1,
        "The program is 2097153 bytes long; the limit is 2097152",
    );
    assert!(crate::support::strip(&" ".repeat(2 << 20)).is_ok());
    refused_at(
        &format!("\n{}", "[".repeat(5000)),
        2,
        501,
        "Brackets nest more than 500 levels deep",
    );
    let long = format!("let {} {}", "a".repeat(10_000), "b".repeat(10_000));
    for diagnostic in crate::support::strip(&long).unwrap_err() {
        assert!(diagnostic.message.len() < 700);
    }
}

#[test]
fn compiled_programs_map_their_places() {
    let source = "enum A { B }\ntype T = 1\n/* 😀 */ throw new Error('x')";
    let stripped = crate::support::strip(source).unwrap();
    assert!(
        stripped
            .mappings
            .is_sorted_by_key(|mapping| mapping.generated)
    );
    let line = stripped
        .source
        .lines()
        .position(|line| line.contains("throw"))
        .unwrap();
    let column = stripped
        .source
        .lines()
        .nth(line)
        .unwrap()
        .find("new Error")
        .unwrap();
    let mapping = stripped
        .mappings
        .iter()
        .rfind(|m| {
            (m.generated.line as usize, m.generated.column as usize) <= (line + 1, column + 1)
        })
        .unwrap();
    assert_eq!((mapping.original.line, mapping.original.column), (3, 16));
}

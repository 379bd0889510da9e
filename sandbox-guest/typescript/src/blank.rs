//! Finds what to blank so that a TypeScript program becomes JavaScript with every character in its place.
//!
//! Three things can't be had by blanking alone and are noted for the caller: syntax that needs code of its own,
//! rare places where the blanked text would mean something else (`compile`), and syntax that a program in the sandbox
//! can't use at all (`refusals`). A blanked type must not change where a statement ends, so a `;` takes its first
//! place where a line break would otherwise no longer end the statement (or end it too early).

use oxc_ast::ast::*;
use oxc_ast_visit::{Visit, walk};
use oxc_span::{GetSpan, Span};
use oxc_syntax::precedence::{GetPrecedence, Precedence};

use crate::edit::Edit;
use crate::text::{byte, has_line_terminator, skip_trivia, word};

/// Syntax that a program in the sandbox can't use.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Refusal {
    /// The byte offset.
    pub(crate) at: usize,
    pub(crate) message: &'static str,
    pub(crate) help: &'static str,
}

/// What has to happen to a program.
#[derive(Debug)]
pub(crate) struct Plan<'s> {
    source: &'s str,
    /// What to blank; complete only where `compile` is false and `refusals` is empty.
    pub(crate) edits: Vec<Edit>,
    /// The program has to go through the compiler instead.
    pub(crate) compile: bool,
    pub(crate) refusals: Vec<Refusal>,
    /// Where expressions start whose first token must not change its role once a type before it is gone.
    starts: Vec<(usize, Start)>,
    /// How many namespaces are around: `export` is theirs there.
    namespaces: usize,
}

/// What the start of an expression is to the text before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// Of a statement: `{`, `function`, `class` and `let` would start another kind of statement.
    Statement,
    /// Of an arrow function's body: `{` would start a block.
    ArrowBody,
    /// After `return`, `throw` or `yield`: a line break would end the statement.
    SameLine,
}

impl<'s> Plan<'s> {
    /// Reads `program`, which was parsed from `source` without an error.
    pub(crate) fn new(source: &'s str, program: &Program<'_>) -> Self {
        let mut plan = Self {
            source,
            edits: Vec::new(),
            compile: false,
            refusals: Vec::new(),
            starts: Vec::new(),
            namespaces: 0,
        };
        plan.visit_program(program);
        if !plan.compile {
            plan.check_starts();
        }
        plan
    }

    fn cut(&mut self, start: usize, end: usize) {
        self.edits.push(Edit {
            start,
            end,
            first: None,
            last: None,
        });
    }

    fn cut_span(&mut self, span: Span) {
        self.cut(span.start as usize, span.end as usize);
    }

    /// Blanks a whole statement or class member. The `;` keeps what stands around it apart.
    fn cut_whole(&mut self, span: Span) {
        let (start, end) = (span.start as usize, span.end as usize);
        self.edits.push(Edit {
            start,
            end,
            first: Some(';'),
            last: None,
        });
    }

    /// Blanks `as T` or `satisfies T`. Nothing can follow a type as a call, an index or a template could follow the
    /// expression: where one comes next, a line break ended the statement, and the `;` keeps it ended.
    fn cut_suffix(&mut self, expression: Span, whole: Span) {
        let (start, end) = (expression.end as usize, whole.end as usize);
        let next = byte(self.source, skip_trivia(self.source, end));
        let first = matches!(next, b'(' | b'[' | b'`').then_some(';');
        self.edits.push(Edit {
            start,
            end,
            first,
            last: None,
        });
    }

    /// Blanks the one ASCII character `mark` if it is the next token at or after `from`; tells where it was.
    fn cut_mark(&mut self, mark: u8, from: usize) -> Option<usize> {
        let at = skip_trivia(self.source, from);
        if byte(self.source, at) != mark {
            return None;
        }
        self.cut(at, at + 1);
        Some(at)
    }

    /// Blanks TypeScript's modifiers in front of a class or a class member; `end` is where the name starts.
    fn cut_modifiers(&mut self, start: usize, end: usize) {
        let mut at = start;
        let mut leading = true;
        loop {
            at = skip_trivia(self.source, at);
            let found = word(self.source, at);
            if at >= end || found.is_empty() {
                return;
            }
            let after = at + found.len();
            if matches!(
                found,
                "public"
                    | "private"
                    | "protected"
                    | "readonly"
                    | "override"
                    | "abstract"
                    | "declare"
            ) {
                // `x = 1⏎ private [y] = 2` would become `x = 1⏎ [y] = 2`.
                let next = skip_trivia(self.source, after);
                let joins = matches!(byte(self.source, next), b'[' | b'*')
                    || matches!(word(self.source, next), "in" | "instanceof");
                let first = (leading && joins).then_some(';');
                self.edits.push(Edit {
                    start: at,
                    end: after,
                    first,
                    last: None,
                });
                leading = leading && !joins;
            } else {
                leading = false;
            }
            at = after;
        }
    }

    fn refuse(&mut self, span: Span, message: &'static str, help: &'static str) {
        self.refusals.push(Refusal {
            at: span.start as usize,
            message,
            help,
        });
    }

    fn refuse_import(&mut self, span: Span) {
        self.refuse(
            span,
            "A program can't import modules",
            "What a program may use is there already: the functions on `tools` and JavaScript's own globals. \
             `import type` is fine.",
        );
    }

    fn refuse_export(&mut self, span: Span) {
        if self.namespaces == 0 {
            self.refuse(
                span,
                "A program can't export",
                "Remove `export`; to hand a value back, end the program with `return value`.",
            );
        }
    }

    /// An import, an export or a declaration of TypeScript's own. False if `statement` is none.
    fn module_statement(&mut self, statement: &Statement<'_>) -> bool {
        match statement {
            Statement::ImportDeclaration(import) => {
                if import.import_kind.is_type() {
                    self.cut_whole(import.span);
                } else {
                    self.refuse_import(import.span);
                }
            }
            Statement::TSImportEqualsDeclaration(import) => {
                if import.import_kind.is_type() {
                    self.cut_whole(import.span);
                } else if matches!(
                    import.module_reference,
                    TSModuleReference::ExternalModuleReference(_)
                ) {
                    self.refuse_import(import.span);
                } else {
                    self.compile = true;
                }
            }
            Statement::ExportAllDeclaration(export) if export.export_kind.is_type() => {
                self.cut_whole(export.span);
            }
            Statement::ExportAllDeclaration(export) => self.refuse_export(export.span),
            Statement::ExportFromDeclaration(export) if export.export_kind.is_type() => {
                self.cut_whole(export.span);
            }
            Statement::ExportFromDeclaration(export) => self.refuse_export(export.span),
            Statement::ExportNamedDeclaration(export)
                if export.export_kind.is_type() || export.specifiers.is_empty() =>
            {
                self.cut_whole(export.span);
            }
            Statement::ExportNamedDeclaration(export) => self.refuse_export(export.span),
            Statement::ExportDeclaration(export) if is_type_only(&export.declaration) => {
                self.cut_whole(export.span);
            }
            Statement::ExportDeclaration(export) => {
                self.refuse_export(export.span);
                if self.namespaces > 0 {
                    walk::walk_declaration(self, &export.declaration);
                }
            }
            Statement::ExportDefaultDeclaration(export) => {
                if matches!(
                    export.declaration,
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)
                ) {
                    self.cut_whole(export.span);
                } else {
                    self.refuse_export(export.span);
                }
            }
            Statement::TSExportAssignment(export) => self.refuse_export(export.span),
            Statement::TSNamespaceExportDeclaration(export) => self.refuse_export(export.span),
            _ => return false,
        }
        true
    }

    /// The members of a class up to their values: modifiers, marks and type annotations of a field.
    fn field(&mut self, field: &PropertyDefinition<'_>) {
        let key = field.key.span();
        self.cut_modifiers(field.span.start as usize, key.start as usize);
        let marks = self.edits.len();
        let name_end = self.name_end(key, field.computed);
        if field.optional {
            self.cut_mark(b'?', name_end);
        }
        if field.definite {
            self.cut_mark(b'!', name_end);
        }
        if let Some(annotation) = &field.type_annotation {
            self.cut_span(annotation.span);
        }
        // `get: T⏎ f() {}` would become `get⏎ f() {}`, a getter.
        if field.value.is_none()
            && matches!(
                word(self.source, key.start as usize),
                "get" | "set" | "static" | "async" | "accessor"
            )
            && let Some(edit) = self.edits.get_mut(marks)
        {
            edit.first = Some(';');
        }
    }

    /// Where the name of a class member ends, its brackets included.
    fn name_end(&self, key: Span, computed: bool) -> usize {
        let end = key.end as usize;
        if !computed {
            return end;
        }
        let bracket = skip_trivia(self.source, end);
        if byte(self.source, bracket) == b']' {
            bracket + 1
        } else {
            end
        }
    }

    /// Moves the brackets of an arrow function's parameters over a line break that its types leave behind: none may
    /// stand between `async` and `(` or between `)` and `=>`.
    fn arrow_types(&mut self, arrow: &ArrowFunctionExpression<'_>) {
        let (open, close) = (
            arrow.params.span.start as usize,
            (arrow.params.span.end as usize).saturating_sub(1),
        );
        if let Some(types) = &arrow.type_parameters {
            let (start, end) = (types.span.start as usize, types.span.end as usize);
            if has_line_terminator(self.source, start, open) {
                self.edits.push(Edit {
                    start,
                    end,
                    first: Some('('),
                    last: None,
                });
                self.cut(open, open + 1);
                self.compile |= byte(self.source, open) != b'(';
            } else {
                self.cut(start, end);
            }
        }
        if let Some(types) = &arrow.return_type {
            let (start, end) = (types.span.start as usize, types.span.end as usize);
            if has_line_terminator(self.source, close, end) {
                self.cut(close, close + 1);
                self.edits.push(Edit {
                    start,
                    end,
                    first: None,
                    last: Some(')'),
                });
                self.compile |= byte(self.source, close) != b')';
            } else {
                self.cut(start, end);
            }
        }
    }

    /// Sends the program to the compiler where a blanked type uncovers a token that means something else there.
    fn check_starts(&mut self) {
        if self.starts.is_empty() {
            return;
        }
        self.edits.sort_unstable_by_key(|edit| edit.start);
        for &(start, role) in &self.starts {
            let mut at = start;
            while let Ok(index) = self.edits.binary_search_by_key(&at, |edit| edit.start) {
                let edit = &self.edits[index];
                if edit.first.is_some() {
                    break;
                }
                at = skip_trivia(self.source, edit.end);
            }
            if at == start {
                continue;
            }
            let first = word(self.source, at);
            self.compile |= match role {
                Start::SameLine => has_line_terminator(self.source, start, at),
                Start::ArrowBody => byte(self.source, at) == b'{',
                Start::Statement => {
                    byte(self.source, at) == b'{'
                        || matches!(first, "function" | "class" | "async" | "let" | "import")
                }
            };
        }
    }
}

impl<'a> Visit<'a> for Plan<'_> {
    fn visit_statement(&mut self, statement: &Statement<'a>) {
        if self.module_statement(statement) {
            return;
        }
        match statement {
            Statement::TSTypeAliasDeclaration(_)
            | Statement::TSInterfaceDeclaration(_)
            | Statement::TSExternalModuleDeclaration(_)
            | Statement::TSGlobalDeclaration(_) => self.cut_whole(statement.span()),
            Statement::VariableDeclaration(declaration) if declaration.declare => {
                self.cut_whole(declaration.span)
            }
            Statement::FunctionDeclaration(function)
                if function.declare || function.body.is_none() =>
            {
                self.cut_whole(function.span);
            }
            Statement::ClassDeclaration(class) if class.declare => self.cut_whole(class.span),
            Statement::TSEnumDeclaration(declaration) if declaration.declare => {
                self.cut_whole(declaration.span)
            }
            Statement::TSNamespaceDeclaration(namespace) if is_type_namespace(namespace) => {
                self.cut_whole(namespace.span);
            }
            _ => walk::walk_statement(self, statement),
        }
    }

    fn visit_ts_enum_declaration(&mut self, declaration: &TSEnumDeclaration<'a>) {
        self.compile = true;
        walk::walk_ts_enum_declaration(self, declaration);
    }

    fn visit_ts_namespace_declaration(&mut self, namespace: &TSNamespaceDeclaration<'a>) {
        self.compile = true;
        self.namespaces += 1;
        walk::walk_ts_namespace_declaration(self, namespace);
        self.namespaces -= 1;
    }

    fn visit_decorator(&mut self, decorator: &Decorator<'a>) {
        self.refuse(
            decorator.span,
            "Decorators are not supported",
            "Apply the function by hand, e.g. `const f = decorate(g)`.",
        );
    }

    fn visit_expression_statement(&mut self, statement: &ExpressionStatement<'a>) {
        self.starts
            .push((statement.span.start as usize, Start::Statement));
        walk::walk_expression_statement(self, statement);
    }

    fn visit_return_statement(&mut self, statement: &ReturnStatement<'a>) {
        if let Some(argument) = &statement.argument {
            self.starts
                .push((argument.span().start as usize, Start::SameLine));
        }
        walk::walk_return_statement(self, statement);
    }

    fn visit_throw_statement(&mut self, statement: &ThrowStatement<'a>) {
        self.starts
            .push((statement.argument.span().start as usize, Start::SameLine));
        walk::walk_throw_statement(self, statement);
    }

    fn visit_yield_expression(&mut self, expression: &YieldExpression<'a>) {
        if let Some(argument) = &expression.argument
            && !expression.delegate
        {
            self.starts
                .push((argument.span().start as usize, Start::SameLine));
        }
        walk::walk_yield_expression(self, expression);
    }

    fn visit_arrow_function_expression(&mut self, arrow: &ArrowFunctionExpression<'a>) {
        self.arrow_types(arrow);
        self.visit_formal_parameters(&arrow.params);
        if !matches!(arrow.body, ArrowFunctionBody::FunctionBody(_)) {
            self.starts
                .push((arrow.body.span().start as usize, Start::ArrowBody));
        }
        self.visit_arrow_function_body(&arrow.body);
    }

    fn visit_binary_expression(&mut self, expression: &BinaryExpression<'a>) {
        // `-a as T ** b` means `(-a) ** b`. Where the operand is a binary expression, the parser sees to this itself.
        match cast_operand(&expression.left) {
            Some(Expression::UnaryExpression(_) | Expression::AwaitExpression(_)) => {
                self.compile |= expression.operator.precedence() == Precedence::Exponentiation;
            }
            Some(Expression::PrivateInExpression(_)) => self.refuse(
                expression.span,
                "A cast has to be in parentheses here",
                "Write `(a as T)` with the parentheses.",
            ),
            _ => {}
        }
        walk::walk_binary_expression(self, expression);
    }

    fn visit_ts_as_expression(&mut self, expression: &TSAsExpression<'a>) {
        self.cut_suffix(expression.expression.span(), expression.span);
        self.visit_expression(&expression.expression);
    }

    fn visit_ts_satisfies_expression(&mut self, expression: &TSSatisfiesExpression<'a>) {
        self.cut_suffix(expression.expression.span(), expression.span);
        self.visit_expression(&expression.expression);
    }

    fn visit_ts_type_assertion(&mut self, expression: &TSTypeAssertion<'a>) {
        self.cut(
            expression.span.start as usize,
            expression.expression.span().start as usize,
        );
        self.visit_expression(&expression.expression);
    }

    fn visit_ts_non_null_expression(&mut self, expression: &TSNonNullExpression<'a>) {
        self.cut_mark(b'!', expression.expression.span().end as usize);
        self.visit_expression(&expression.expression);
    }

    fn visit_ts_type_annotation(&mut self, annotation: &TSTypeAnnotation<'a>) {
        self.cut_span(annotation.span);
    }

    fn visit_ts_type_parameter_declaration(&mut self, parameters: &TSTypeParameterDeclaration<'a>) {
        self.cut_span(parameters.span);
    }

    fn visit_ts_type_parameter_instantiation(
        &mut self,
        arguments: &TSTypeParameterInstantiation<'a>,
    ) {
        self.cut_span(arguments.span);
    }

    fn visit_ts_this_parameter(&mut self, parameter: &TSThisParameter<'a>) {
        self.cut_span(parameter.span);
        self.cut_mark(b',', parameter.span.end as usize);
    }

    fn visit_formal_parameter(&mut self, parameter: &FormalParameter<'a>) {
        if parameter.accessibility.is_some() || parameter.readonly || parameter.r#override {
            self.compile = true;
        }
        if parameter.optional {
            self.cut_mark(b'?', parameter.pattern.span().end as usize);
        }
        walk::walk_formal_parameter(self, parameter);
    }

    fn visit_variable_declarator(&mut self, declarator: &VariableDeclarator<'a>) {
        if declarator.definite {
            self.cut_mark(b'!', declarator.id.span().end as usize);
        }
        walk::walk_variable_declarator(self, declarator);
    }

    fn visit_class(&mut self, class: &Class<'a>) {
        self.visit_decorators(&class.decorators);
        let mut head = class.span.start as usize;
        if class.r#abstract {
            self.cut_modifiers(head, class.body.span.start as usize);
        }
        if let (Some(first), Some(last)) = (class.implements.first(), class.implements.last()) {
            let before = class.heritage.as_ref().map(|heritage| {
                heritage
                    .type_arguments
                    .as_ref()
                    .map_or(heritage.expression.span().end, |types| types.span.end)
            });
            let before = before
                .or(class.type_parameters.as_ref().map(|types| types.span.end))
                .or(class.id.as_ref().map(|id| id.span.end));
            if let Some(before) = before {
                head = before as usize;
            }
            // From `class` itself the keyword is some words on; else it is the next.
            while head < first.span.start as usize {
                head = skip_trivia(self.source, head);
                let found = word(self.source, head);
                if found == "implements" || found.is_empty() {
                    break;
                }
                head += found.len();
            }
            self.cut(head, last.span.end as usize);
        }
        if let Some(types) = &class.type_parameters {
            self.cut_span(types.span);
        }
        if let Some(heritage) = &class.heritage {
            self.visit_class_heritage(heritage);
        }
        self.visit_class_body(&class.body);
    }

    fn visit_class_element(&mut self, element: &ClassElement<'a>) {
        match element {
            ClassElement::TSIndexSignature(signature) => self.cut_whole(signature.span),
            ClassElement::PropertyDefinition(field)
                if field.declare
                    || field.r#type == PropertyDefinitionType::TSAbstractPropertyDefinition =>
            {
                self.visit_decorators(&field.decorators);
                self.cut_whole(field.span);
            }
            ClassElement::PropertyDefinition(field) => {
                self.visit_decorators(&field.decorators);
                self.field(field);
                self.visit_property_key(&field.key);
                if let Some(value) = &field.value {
                    self.visit_expression(value);
                }
            }
            ClassElement::MethodDefinition(method) if method.value.body.is_none() => {
                self.visit_decorators(&method.decorators);
                self.cut_whole(method.span);
            }
            ClassElement::MethodDefinition(method) => {
                let key = method.key.span();
                self.cut_modifiers(method.span.start as usize, key.start as usize);
                if method.optional {
                    self.cut_mark(b'?', self.name_end(key, method.computed));
                }
                walk::walk_method_definition(self, method);
            }
            ClassElement::AccessorProperty(accessor)
                if accessor.r#type == AccessorPropertyType::TSAbstractAccessorProperty =>
            {
                self.cut_whole(accessor.span);
            }
            ClassElement::AccessorProperty(accessor) => self.refuse(
                accessor.span,
                "`accessor` fields are not supported",
                "Use a plain field, or write a getter and a setter.",
            ),
            ClassElement::StaticBlock(_) => walk::walk_class_element(self, element),
        }
    }
}

/// What an unparenthesised `as` or `satisfies` stands behind; none if `expression` is no such thing.
fn cast_operand<'e, 'a>(expression: &'e Expression<'a>) -> Option<&'e Expression<'a>> {
    let mut operand = None;
    let mut at = expression;
    loop {
        at = match at {
            Expression::TSAsExpression(cast) => &cast.expression,
            Expression::TSSatisfiesExpression(cast) => &cast.expression,
            _ => return operand,
        };
        operand = Some(at);
    }
}

/// Whether a declaration leaves nothing at run time.
fn is_type_only(declaration: &Declaration<'_>) -> bool {
    match declaration {
        Declaration::TSTypeAliasDeclaration(_)
        | Declaration::TSInterfaceDeclaration(_)
        | Declaration::TSExternalModuleDeclaration(_)
        | Declaration::TSGlobalDeclaration(_) => true,
        Declaration::VariableDeclaration(declaration) => declaration.declare,
        Declaration::FunctionDeclaration(function) => function.declare || function.body.is_none(),
        Declaration::ClassDeclaration(class) => class.declare,
        Declaration::TSEnumDeclaration(declaration) => declaration.declare,
        Declaration::TSNamespaceDeclaration(namespace) => is_type_namespace(namespace),
        Declaration::TSImportEqualsDeclaration(import) => import.import_kind.is_type(),
    }
}

/// Whether a namespace is only declared, or holds types alone.
fn is_type_namespace(namespace: &TSNamespaceDeclaration<'_>) -> bool {
    if namespace.declare {
        return true;
    }
    match &namespace.body {
        TSNamespaceDeclarationBody::TSNamespaceDeclaration(inner) => is_type_namespace(inner),
        TSNamespaceDeclarationBody::TSModuleBlock(block) => {
            block.body.iter().all(|statement| match statement {
                Statement::ExportDeclaration(export) => is_type_only(&export.declaration),
                Statement::ImportDeclaration(import) => import.import_kind.is_type(),
                Statement::ExportNamedDeclaration(export) => export.export_kind.is_type(),
                _ => statement.as_declaration().is_some_and(is_type_only),
            })
        }
    }
}

"""A call taken apart: each of its arguments is a slot, and a slot can be given something other than what it says."""

import ast
import functools

HELPERS = {"A", "like", "inside", "refused", "FILE", "TEXT", "PATH", "saved", "archive", "range", "iter"}


class Form:
    """A case, compiled with its arguments apart.

    Attributes
    ----------
    slots : list of code
        The arguments' own values, in the order in which Python would evaluate them.
    labels : list of str
        What each is called: the keyword, or the source.
    code : code
        The call, with the names ``slot_0``, ... for its arguments.
    is_statement : bool

    Arguments that are tuples or lists are taken apart, too, unless ``whole``.
    """

    def __init__(self, source, whole=False):
        self.source, self.whole = source, whole
        tree = ast.parse(source)
        self.slots, self.labels = [], []
        node = tree.body[0]
        self.is_statement = not isinstance(node, ast.Expr)
        if len(tree.body) == 1:
            self.enter(node)
        if self.is_statement:
            self.code = compile(ast.fix_missing_locations(tree), source, "exec")
        else:
            self.code = compile(ast.fix_missing_locations(ast.Expression(node.value)), source, "eval")

    def put(self, node, label=None):
        """A name in place of an argument, whose own value is a slot."""
        node = Slices().visit(node)
        self.labels.append(label or ast.unparse(node))
        expression = ast.fix_missing_locations(ast.Expression(node))
        self.slots.append(compile(expression, self.source, "eval"))
        return ast.Name(f"slot_{len(self.slots) - 1}", ast.Load())

    def enter(self, node):
        match node:
            case ast.Expr():
                self.enter(node.value)
            case ast.Call(func=ast.Name(id=name)) if name in HELPERS:
                pass
            case ast.Call():
                self.enter(node.func)
                node.args = [arg if isinstance(arg, ast.Starred) else self.argument(arg) for arg in node.args]
                for keyword in node.keywords:
                    if keyword.arg:
                        keyword.value = self.argument(keyword.value, keyword.arg)
            case ast.Subscript():
                self.enter(node.value)
                node.slice = self.argument(node.slice, "index")
            case ast.BinOp():
                if isinstance(node.left, ast.Name) and node.left.id == "x":
                    node.right = self.put(node.right, "right")
                else:
                    node.left = self.put(node.left, "left")
            case ast.Compare(ops=[ast.In()]):
                node.left = self.put(node.left, "left")
            case ast.Compare(comparators=[other]):
                node.comparators = [self.put(other, "right")]
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target]) | ast.AugAssign(target=target):
                self.enter(target)
                node.value = self.argument(node.value, "value")
            case ast.Tuple() | ast.List() if isinstance(node.ctx, ast.Load):
                for item in node.elts[:2]:
                    self.enter(item)
            case ast.Attribute():
                self.enter(node.value)

    def argument(self, node, label=None):
        if isinstance(node, (ast.Tuple, ast.List)) and 0 < len(node.elts) <= 3 and not self.whole:
            node.elts = [item if isinstance(item, ast.Starred) else self.put(item, label) for item in node.elts]
            return node
        return self.put(node, label)


class Slices(ast.NodeTransformer):
    """``a:b`` as ``slice(a, b, None)``, which is an expression."""

    def visit_Slice(self, node):
        bounds = [bound or ast.Constant(None) for bound in (node.lower, node.upper, node.step)]
        return ast.Call(ast.Name("slice", ast.Load()), bounds, [])


@functools.cache
def forms_of(source):
    """The call taken apart; and with its sequences whole, where it has any."""
    apart, whole = Form(source), Form(source, whole=True)
    return [apart] if len(apart.slots) == len(whole.slots) and apart.labels == whole.labels else [apart, whole]

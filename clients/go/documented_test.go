package tollgate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

// Every exported identifier and every field has a doc comment, which editors show.
func TestEveryExportHasADocComment(t *testing.T) {
	files := token.NewFileSet()
	isSource := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
	things := 0
	for _, folder := range []string{".", "tollgatetest"} {
		packages, err := parser.ParseDir(files, folder, isSource, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range packages {
			ast.Inspect(each, func(node ast.Node) bool {
				for _, thing := range exportedIn(node) {
					things++
					if !strings.HasSuffix(strings.TrimSpace(thing.said), ".") && !strings.HasSuffix(strings.TrimSpace(thing.said), ":") {
						t.Errorf("%s: %s says %q", files.Position(node.Pos()), thing.name, thing.said)
					}
				}
				return true
			})
		}
	}
	if things < 1_500 {
		t.Errorf("only %d declarations were checked", things)
	}
}

type thing struct{ name, said string }

func exportedIn(node ast.Node) []thing {
	switch node := node.(type) {
	case *ast.FuncDecl:
		if node.Name.IsExported() && isOfExported(node) {
			return []thing{{node.Name.Name, node.Doc.Text()}}
		}
	case *ast.GenDecl:
		var found []thing
		for _, spec := range node.Specs {
			found = append(found, specified(spec, node)...)
		}
		return found
	}
	return nil
}

// isOfExported excludes methods of unexported types.
func isOfExported(function *ast.FuncDecl) bool {
	if function.Recv == nil {
		return true
	}
	of := function.Recv.List[0].Type
	if pointer, isPointer := of.(*ast.StarExpr); isPointer {
		of = pointer.X
	}
	name, isName := of.(*ast.Ident)
	return isName && name.IsExported()
}

func specified(spec ast.Spec, of *ast.GenDecl) []thing {
	var found []thing
	switch spec := spec.(type) {
	case *ast.TypeSpec:
		if !spec.Name.IsExported() {
			return nil
		}
		found = append(found, thing{spec.Name.Name, of.Doc.Text()})
		if structure, isStruct := spec.Type.(*ast.StructType); isStruct {
			found = append(found, fieldsOf(spec.Name.Name, structure.Fields)...)
		}
		if face, isInterface := spec.Type.(*ast.InterfaceType); isInterface {
			found = append(found, fieldsOf(spec.Name.Name, face.Methods)...)
		}
	case *ast.ValueSpec:
		said := spec.Doc.Text()
		if said == "" && !of.Lparen.IsValid() {
			said = of.Doc.Text()
		}
		for _, name := range spec.Names {
			if name.IsExported() {
				found = append(found, thing{name.Name, said})
			}
		}
	}
	return found
}

func fieldsOf(of string, fields *ast.FieldList) []thing {
	var found []thing
	for _, field := range fields.List {
		for _, name := range field.Names {
			if name.IsExported() {
				found = append(found, thing{of + "." + name.Name, field.Doc.Text()})
			}
		}
	}
	return found
}

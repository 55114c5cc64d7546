package tollgate_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"strings"
	"testing"
)

// Every type in an exported signature is exported, so that programs can name it.
func TestEveryTypeOfASignatureIsExported(t *testing.T) {
	for _, folder := range []string{".", "tollgatetest"} {
		files := token.NewFileSet()
		isSource := func(info fs.FileInfo) bool { return !strings.HasSuffix(info.Name(), "_test.go") }
		packages, err := parser.ParseDir(files, folder, isSource, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, each := range packages {
			for _, found := range forgottenIn(each) {
				t.Errorf("%s: %s is not exported", files.Position(found.Pos()), found.Name)
			}
		}
	}
}

func TestATypeThatIsNotExportedIsFound(t *testing.T) {
	const source = `package shop
type secret struct{}
type Order struct { Kept []*secret; inside secret }
func Give(by map[string]secret) secret { return secret{} }
func (Order) Take() (secret, error) { return secret{}, nil }
func (secret) Seen() secret { return secret{} }
func hidden() secret { return secret{} }
`
	file, err := parser.ParseFile(token.NewFileSet(), "shop.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	found := forgottenIn(&ast.Package{Files: map[string]*ast.File{"shop.go": file}})
	if len(found) != 4 {
		t.Errorf("found %d of 4", len(found))
	}
}

// opaque has the interfaces that only this library implements: each With… function returns one.
var opaque = map[string]bool{"Option": true, "CallOption": true}

// forgottenIn returns the unexported types in exported signatures of a package.
func forgottenIn(of *ast.Package) []*ast.Ident {
	own := map[string]bool{}
	ast.Inspect(of, func(node ast.Node) bool {
		if spec, isType := node.(*ast.TypeSpec); isType && !spec.Name.IsExported() {
			own[spec.Name.Name] = true
		}
		return true
	})
	var found []*ast.Ident
	look := func(node ast.Node) {
		ast.Inspect(node, func(inside ast.Node) bool {
			if name, isName := inside.(*ast.Ident); isName && own[name.Name] {
				found = append(found, name)
			}
			return true
		})
	}
	ast.Inspect(of, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			if node.Name.IsExported() && isOfExported(node) {
				lookAtFields(look, node.Type.Params, node.Type.Results)
			}
			return false
		case *ast.TypeSpec:
			if node.Name.IsExported() && !opaque[node.Name.Name] {
				lookAtType(look, node.Type)
			}
			return false
		}
		return true
	})
	return found
}

// Names of parameters are not types, so only the types of fields are checked.
func lookAtFields(look func(ast.Node), lists ...*ast.FieldList) {
	for _, list := range lists {
		if list == nil {
			continue
		}
		for _, field := range list.List {
			look(field.Type)
		}
	}
}

// Unexported fields, and embedded unexported types, are not visible to programs.
func lookAtType(look func(ast.Node), of ast.Expr) {
	structure, isStruct := of.(*ast.StructType)
	if !isStruct {
		look(of)
		return
	}
	for _, field := range structure.Fields.List {
		for _, name := range field.Names {
			if name.IsExported() {
				look(field.Type)
			}
		}
	}
}

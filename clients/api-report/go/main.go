// Prints the exported API of the packages in the given folders: `go run . FOLDER…`, one line of JSON for each
// item.
package main

import (
	"bytes"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"log"
	"os"
	"strings"
)

type line struct {
	Owner      string `json:"owner"`
	Signature  string `json:"signature"`
	IsRequired bool   `json:"isRequired"`
}

var files = token.NewFileSet()

func main() {
	for _, folder := range os.Args[1:] {
		isSource := func(file fs.FileInfo) bool { return !strings.HasSuffix(file.Name(), "_test.go") }
		packages, err := parser.ParseDir(files, folder, isSource, parser.SkipObjectResolution)
		if err != nil {
			log.Fatal(err)
		}
		for name, each := range packages {
			for _, file := range each.Files {
				for _, declaration := range file.Decls {
					describe(name, declaration)
				}
			}
		}
	}
}

func describe(name string, declaration ast.Decl) {
	switch it := declaration.(type) {
	case *ast.FuncDecl:
		describeFunction(name, it)
	case *ast.GenDecl:
		for _, spec := range it.Specs {
			switch each := spec.(type) {
			case *ast.TypeSpec:
				if each.Name.IsExported() {
					describeType(name+"."+each.Name.Name, each)
				}
			case *ast.ValueSpec:
				for _, value := range each.Names {
					if value.IsExported() {
						say(name, strings.TrimSpace(it.Tok.String()+" "+value.Name+" "+text(each.Type)), false)
					}
				}
			}
		}
	}
}

func describeFunction(name string, function *ast.FuncDecl) {
	if !function.Name.IsExported() {
		return
	}
	signature := function.Name.Name + strings.TrimPrefix(text(function.Type), "func")
	if function.Recv == nil {
		say(name, "func "+signature, false)
		return
	}
	receiver := text(function.Recv.List[0].Type)
	owner := strings.TrimPrefix(receiver, "*")
	if ast.IsExported(owner) {
		say(name+"."+owner, "func ("+receiver+") "+signature, false)
	}
}

// Struct fields are set by name, so a new field is compatible. A new method of an interface breaks the types
// that implement it.
func describeType(owner string, spec *ast.TypeSpec) {
	switch it := spec.Type.(type) {
	case *ast.StructType:
		say(owner, "struct", false)
		for _, field := range it.Fields.List {
			describeField(owner, field, false)
		}
	case *ast.InterfaceType:
		say(owner, "interface", false)
		for _, method := range it.Methods.List {
			describeField(owner, method, true)
		}
	default:
		assign := ""
		if spec.Assign.IsValid() {
			assign = "= "
		}
		say(owner, assign+text(spec.Type), false)
	}
}

func describeField(owner string, field *ast.Field, isRequired bool) {
	if len(field.Names) == 0 {
		say(owner, text(field.Type), isRequired)
	}
	for _, name := range field.Names {
		if name.IsExported() {
			say(owner, name.Name+" "+text(field.Type), isRequired)
		}
	}
}

func text(node ast.Node) string {
	if node == nil {
		return ""
	}
	var written bytes.Buffer
	if expression, ok := node.(ast.Expr); ok && expression == nil {
		return ""
	}
	if err := printer.Fprint(&written, files, node); err != nil {
		log.Fatal(err)
	}
	return strings.Join(strings.Fields(written.String()), " ")
}

func say(owner, signature string, isRequired bool) {
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(line{owner, signature, isRequired}); err != nil {
		log.Fatal(err)
	}
}

// Evaluates expressions as kube-apiserver 1.32 does: a request a line on standard input, its outcome as a line on
// standard output. README.md says what requests and outcomes look like. With -bench it measures instead.
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/interpreter"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type variable struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

type request struct {
	Expr    string          `json:"expr"`
	Stored  bool            `json:"stored"`
	TypeEnv []variable      `json:"type_env"`
	Vars    json.RawMessage `json:"vars"`
	Schema  json.RawMessage `json:"schema"`
	Repeat  int             `json:"repeat"`
	// Of a "dyn" variable too: its value as a form of the vectors, {"int": "1"}.
	Bindings json.RawMessage `json:"bindings"`
}

type costRange struct {
	Min string `json:"min"`
	Max string `json:"max"`
}

type outcome struct {
	CompileError string     `json:"compile_error,omitempty"`
	Type         string     `json:"type,omitempty"`
	Estimate     *costRange `json:"estimate,omitempty"`
	ProgramError string     `json:"program_error,omitempty"`
	Error        string     `json:"error,omitempty"`
	Value        any        `json:"value,omitempty"`
	Cost         string     `json:"cost,omitempty"`
	// Evaluations of the same did not have the same outcome: the order of a map's entries is not defined.
	Varies bool `json:"varies,omitempty"`
}

// What an expression is compiled in.
type setting struct {
	env        *cel.Env
	estimator  *library.CostEstimator
	structural *schema.Structural
}

// Sizes that the schema of self and oldSelf gives.
type schemaSizes struct{ root *apiservercel.DeclType }

func (s schemaSizes) EstimateSize(element checker.AstNode) *checker.SizeEstimate {
	path := element.Path()
	if len(path) == 0 {
		return nil
	}
	current := s.root
	for _, name := range path[1:] {
		switch name {
		case "@items", "@values":
			current = current.ElemType
		case "@keys":
			current = current.KeyType
		default:
			field, ok := current.Fields[name]
			if !ok {
				return nil
			}
			current = field.Type
		}
		if current == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(current.MaxElements)}
}

func (s schemaSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

func typeOf(name string) *cel.Type {
	switch name {
	case "int":
		return cel.IntType
	case "uint":
		return cel.UintType
	case "double":
		return cel.DoubleType
	case "bool":
		return cel.BoolType
	case "string":
		return cel.StringType
	case "bytes":
		return cel.BytesType
	case "timestamp":
		return cel.TimestampType
	case "duration":
		return cel.DurationType
	case "list(int)":
		return cel.ListType(cel.IntType)
	case "list(string)":
		return cel.ListType(cel.StringType)
	case "list(dyn)":
		return cel.ListType(cel.DynType)
	case "map(string, int)":
		return cel.MapType(cel.StringType, cel.IntType)
	case "map(string, string)":
		return cel.MapType(cel.StringType, cel.StringType)
	case "map(string, dyn)":
		return cel.MapType(cel.StringType, cel.DynType)
	case "optional_type(int)":
		return cel.OptionalType(cel.IntType)
	case "optional_type(string)":
		return cel.OptionalType(cel.StringType)
	}
	return cel.DynType
}

var settings = map[string]*setting{}

func settingOf(r *request) (*setting, error) {
	names, _ := json.Marshal(r.TypeEnv)
	key := fmt.Sprint(r.Stored, string(names), string(r.Schema))
	if made, ok := settings[key]; ok {
		return made, nil
	}
	made := &setting{estimator: &library.CostEstimator{}}
	options := environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0)}
	for _, v := range r.TypeEnv {
		options.EnvOptions = append(options.EnvOptions, cel.Variable(v.Name, typeOf(v.Type)))
	}
	if len(r.Schema) > 0 {
		var props apiextensionsv1.JSONSchemaProps
		if err := json.Unmarshal(r.Schema, &props); err != nil {
			return nil, err
		}
		var internal apiextensions.JSONSchemaProps
		if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&props, &internal, nil); err != nil {
			return nil, err
		}
		structural, err := schema.NewStructural(&internal)
		if err != nil {
			return nil, err
		}
		declared := model.SchemaDeclType(structural, false)
		if declared == nil {
			return nil, fmt.Errorf("no type for the schema")
		}
		declared = declared.MaybeAssignTypeName("selfType")
		made.structural = structural
		made.estimator.SizeEstimator = schemaSizes{declared}
		options.EnvOptions = append(options.EnvOptions, cel.Variable("self", declared.CelType()), cel.Variable("oldSelf", declared.CelType()))
		options.DeclTypes = append(options.DeclTypes, declared)
	}
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion(), true).Extend(options)
	if err != nil {
		return nil, err
	}
	kind := environment.NewExpressions
	if r.Stored {
		kind = environment.StoredExpressions
	}
	if made.env, err = set.Env(kind); err != nil {
		return nil, err
	}
	if len(settings) > 500 {
		settings = map[string]*setting{}
	}
	settings[key] = made
	return made, nil
}

func valuesOf(r *request, s *setting) (map[string]any, error) {
	values := map[string]any{}
	var plain map[string]any
	if len(r.Vars) > 0 {
		if err := utiljson.Unmarshal(r.Vars, &plain); err != nil {
			return nil, err
		}
	}
	for name, value := range plain {
		if s.structural != nil && (name == "self" || name == "oldSelf") {
			values[name] = common.UnstructuredToVal(value, &model.Structural{Structural: s.structural})
		} else {
			values[name] = value
		}
	}
	var forms map[string]any
	if len(r.Bindings) > 0 {
		if err := json.Unmarshal(r.Bindings, &forms); err != nil {
			return nil, err
		}
	}
	for name, form := range forms {
		values[name] = fromForm(form)
	}
	return values, nil
}

// A value of its form in vector files.
func fromForm(form any) ref.Val {
	adapter := types.DefaultTypeAdapter
	for kind, content := range form.(map[string]any) {
		switch kind {
		case "int":
			n, _ := strconv.ParseInt(content.(string), 10, 64)
			return types.Int(n)
		case "uint":
			n, _ := strconv.ParseUint(content.(string), 10, 64)
			return types.Uint(n)
		case "double":
			if d, ok := content.(float64); ok {
				return types.Double(d)
			}
			return types.String(content.(string)).ConvertToType(types.DoubleType)
		case "string":
			return types.String(content.(string))
		case "bytes_b64":
			b, _ := base64.StdEncoding.DecodeString(content.(string))
			return types.Bytes(b)
		case "bool":
			return types.Bool(content.(bool))
		case "null":
			return types.NullValue
		case "list":
			items := []ref.Val{}
			for _, item := range content.([]any) {
				items = append(items, fromForm(item))
			}
			return types.NewRefValList(adapter, items)
		case "map":
			entries := map[ref.Val]ref.Val{}
			for _, entry := range content.([]any) {
				entries[fromForm(entry.([]any)[0])] = fromForm(entry.([]any)[1])
			}
			return types.NewRefValMap(adapter, entries)
		case "duration":
			return types.String(content.(string)).ConvertToType(types.DurationType)
		case "timestamp":
			return types.String(content.(string)).ConvertToType(types.TimestampType)
		case "optional":
			if content == nil {
				return types.OptionalNone
			}
			return types.OptionalOf(fromForm(content))
		}
	}
	return types.NewErr("unknown form")
}

func toForm(v ref.Val, depth int) (made any) {
	if depth > 60 {
		return "deep"
	}
	// An object of a schema without properties cannot be walked.
	defer func() {
		if recover() != nil {
			made = map[string]any{"unreadable": true}
		}
	}()
	form := func(kind string, content any) any { return map[string]any{kind: content} }
	switch value := v.(type) {
	case types.Int:
		return form("int", strconv.FormatInt(int64(value), 10))
	case types.Uint:
		return form("uint", strconv.FormatUint(uint64(value), 10))
	case *types.Err:
		return form("error", value.Error())
	case types.Double:
		if math.IsNaN(float64(value)) {
			return form("double", "NaN")
		}
		return form("double", strconv.FormatUint(math.Float64bits(float64(value)), 16))
	case types.String:
		return form("string", string(value))
	case types.Bytes:
		return form("bytes_b64", base64.StdEncoding.EncodeToString(value))
	case types.Bool:
		return form("bool", bool(value))
	case types.Null:
		return form("null", nil)
	case types.Duration:
		return form("duration", strconv.FormatInt(int64(value.Duration), 10))
	case types.Timestamp:
		return form("timestamp", string(value.ConvertToType(types.StringType).(types.String)))
	case *types.Type:
		return form("type", value.TypeName())
	case *types.Optional:
		if !value.HasValue() {
			return form("optional", nil)
		}
		return form("optional", toForm(value.GetValue(), depth+1))
	case apiservercel.Quantity:
		return form("quantity", value.Quantity.String())
	case *apiservercel.Quantity:
		return form("quantity", value.Quantity.String())
	case apiservercel.IP:
		return form("ip", value.Addr.String())
	case apiservercel.CIDR:
		return form("cidr", value.Prefix.String())
	case apiservercel.URL:
		return form("url", value.URL.String())
	case apiservercel.Format:
		return form("format", value.Name)
	case *apiservercel.Format:
		return form("format", value.Name)
	case traits.Lister:
		items := []any{}
		for it := value.Iterator(); it.HasNext() == types.True; {
			items = append(items, toForm(it.Next(), depth+1))
		}
		return form("list", items)
	case traits.Mapper:
		entries := []any{}
		for it := value.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, []any{toForm(key, depth+1), toForm(value.Get(key), depth+1)})
		}
		return form("map", entries)
	}
	return form("object", v.Type().TypeName())
}

func evaluate(program cel.Program, values map[string]any) (result, failure, cost string, value any) {
	v, details, err := program.Eval(values)
	if details != nil && details.ActualCost() != nil {
		cost = strconv.FormatUint(*details.ActualCost(), 10)
	}
	if err != nil {
		return "", err.Error(), cost, nil
	}
	value = toForm(v, 0)
	text, _ := json.Marshal(value)
	return string(text), "", cost, value
}

func run(line []byte) (o outcome) {
	defer func() {
		if failure := recover(); failure != nil {
			o = outcome{Error: fmt.Sprint("panic: ", failure)}
		}
	}()
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return outcome{CompileError: "request: " + err.Error()}
	}
	s, err := settingOf(&r)
	if err != nil {
		return outcome{CompileError: "request: " + err.Error()}
	}
	ast, issues := s.env.Compile(r.Expr)
	if issues != nil {
		return outcome{CompileError: issues.String()}
	}
	o.Type = ast.OutputType().String()
	estimate, err := s.env.EstimateCost(ast, s.estimator)
	if err != nil {
		return outcome{CompileError: "estimate: " + err.Error()}
	}
	o.Estimate = &costRange{strconv.FormatUint(estimate.Min, 10), strconv.FormatUint(estimate.Max, 10)}
	program, err := program(s, ast)
	if err != nil {
		o.ProgramError = err.Error()
		return o
	}
	values, err := valuesOf(&r, s)
	if err != nil {
		return outcome{CompileError: "request: " + err.Error()}
	}
	var text string
	text, o.Error, o.Cost, o.Value = evaluate(program, values)
	for i := 1; i < r.Repeat && !o.Varies; i++ {
		again, failure, cost, _ := evaluate(program, values)
		o.Varies = again != text || failure != o.Error || cost != o.Cost
	}
	return o
}

func program(s *setting, ast *cel.Ast) (cel.Program, error) {
	return s.env.Program(ast,
		cel.CostLimit(celconfig.PerCallLimit),
		cel.CostTracking(s.estimator),
		cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false)),
		cel.InterruptCheckFrequency(celconfig.CheckFrequency))
}

func main() {
	bench := flag.String("bench", "", "file of expressions to measure, a request a line")
	flag.Parse()
	if *bench != "" {
		measure(*bench)
		return
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 1 {
			if failed := encoder.Encode(run(line)); failed != nil {
				encoder.Encode(outcome{Error: "outcome: " + failed.Error()})
			}
			if in.Buffered() == 0 {
				out.Flush()
			}
		}
		if err != nil {
			out.Flush()
			return
		}
	}
}

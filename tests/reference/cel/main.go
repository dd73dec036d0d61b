package main

import (
	"fmt"

	"golang.org/x/text/language"
	"golang.org/x/text/message"
	_ "k8s.io/apiserver/pkg/cel/environment"
	_ "k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
)

func main() {
	p := message.NewPrinter(language.AmericanEnglish)
	for _, v := range []float64{-1e-9, 9999999.5, 9.9999999, -9.9999995, 1e100} {
		for _, f := range []string{"%.6f", "%.0f", "%6e", "%1000001e", "%.1000001f", "%.99999999999999999f","%999999999999999999999e"} {
			fmt.Printf("%g %s [%s]\n", v, f, p.Sprintf(f, v))
		}
	}
	fmt.Println(len(p.Sprintf("%.1000000f",1.5)), len(p.Sprintf("%1000000e",1.5)))
}

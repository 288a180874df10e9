// Malformed registries: a good one with one change each, and what the message must name.
#include "contract/registry/registry.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cctype>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <unistd.h>

namespace {

const hkc::KnownNames kNames{{"sum", "twice", "sum_twice"},
                             {"outside the oracle", "argument mismatch", "guard overwritten"}};

// Line numbers of the messages below count from here; the first line is 1.
const std::string kGood = R"toml([family]
name = "demo"
source = "kernels/demo.hip"
flags = ["-O3"]
chips = ["gfx1030", "gfx1100"]

[[kernel]]
name = "sum"
oracle = "sum"
[kernel.params]
lanes = 32
[[kernel.arg]]
name = "x"
dir = "in"
type = "f32"
dims = ["n", "lanes"]
[[kernel.arg]]
name = "out"
dir = "out"
type = "f32"
dims = ["n"]
[[kernel.arg]]
name = "n"
type = "i32"
[[kernel.launch]]
symbol = "sum"
block = ["lanes"]
grid = ["ceildiv(n, 2)"]
lds = 128
args = ["x", "out", "n"]
[[kernel.shape]]
n = [5, 70]
served = true

[[kernel]]
name = "twice"
oracle = "twice"
arg = [
    { name = "v", dir = "in", type = "f32", dims = ["count"] },
    { name = "out", dir = "out", type = "f32", dims = ["count"] },
    { name = "count", type = "i32" },
]
launch = [{ block = [64], grid = ["ceildiv(count, 64)"] }]
shape = [{ count = 7 }]

[[kernel]]
name = "sum_twice"
oracle = "sum_twice"
match = "bytes"
replaces = [{ kernel = "sum", args = { out = "mid" } }, { kernel = "twice", args = { v = "mid", count = "n" } }]
params = { lanes = 32 }
arg = [
    { name = "x", dir = "in", type = "f32", dims = ["n", "lanes"] },
    { name = "mid", dir = "intermediate", type = "f32", dims = ["n"] },
    { name = "out", dir = "out", type = "f32", dims = ["n"] },
    { name = "n", type = "i32" },
]
launch = [{ block = [32], grid = ["n"] }]
shape = [{ n = 7 }]

[[control]]
name = "too few"
of = "sum"
plant = { args = ["x", "out"] }
red_at = 1
finding = "argument mismatch"
)toml";

struct Change {
    std::string from;
    std::string to;
};

struct Case {
    std::string name;
    std::vector<Change> changes;
    std::vector<std::string> expected; // all must be in the message
};

std::string changed(const std::vector<Change>& changes) {
    std::string text = kGood;
    for (const Change& change : changes) {
        const auto at = text.find(change.from);
        EXPECT_NE(at, std::string::npos) << "the test's own text is gone: " << change.from;
        if (at != std::string::npos) text.replace(at, change.from.size(), change.to);
    }
    return text;
}

const std::vector<Case> kCases{
    {"unknown key of the file",
     {{"[[control]]", "[[controls]]"}},
     {"demo.toml:61", "unknown key 'controls'", "did you mean \"control\"?"}},
    {"unknown key of a family",
     {{"flags = [", "flag = [\"-O2\"]\nflags = ["}},
     {"demo.toml:4", "unknown key 'flag'", "did you mean \"flags\"?"}},
    {"unknown key of a kernel",
     {{"oracle = \"sum\"", "oracle = \"sum\"\nbitwize = true"}},
     {"demo.toml:10", "unknown key 'bitwize'", "\"bitwise\""}},
    {"unknown key of an argument",
     {{"dims = [\"n\", \"lanes\"]", "dims = [\"n\", \"lanes\"]\nalignment = 4"}},
     {"demo.toml:17", "argument \"x\"", "unknown key 'alignment'"}},
    {"unknown key of a launch",
     {{"lds = 128", "ldss = 128"}},
     {"demo.toml:29", "launch 1", "unknown key 'ldss'", "\"lds\""}},
    {"unknown key of a control", {{"red_at = 1", "red_at = 1\nred = 1"}}, {"demo.toml:66", "unknown key 'red'"}},
    {"missing family", {{"[family]", "[familiar]"}}, {"demo.toml:1", "[family] is missing"}},
    {"missing source", {{"source = \"kernels/demo.hip\"\n", ""}}, {"demo.toml:1", "family: key 'source' is missing"}},
    {"missing kernel name", {{"name = \"sum\"\n", ""}}, {"demo.toml:7", "kernel: key 'name' is missing"}},
    {"missing oracle", {{"oracle = \"sum\"\n", ""}}, {"demo.toml:7", "kernel \"sum\": key 'oracle' is missing"}},
    {"missing chips", {{"chips = [\"gfx1030\", \"gfx1100\"]\n", ""}}, {"demo.toml:6", "key 'chips' is missing"}},
    {"missing dir of a buffer", {{"dir = \"in\"\n", ""}}, {"demo.toml:12", "argument \"x\"", "key 'dir' is missing"}},
    {"missing grid", {{"grid = [\"ceildiv(n, 2)\"]\n", ""}}, {"demo.toml:25", "key 'grid' is missing"}},
    {"missing match of a replacing kernel", {{"match = \"bytes\"\n", ""}}, {"demo.toml:46", "key 'match' is missing"}},
    {"missing plant", {{"plant = { args = [\"x\", \"out\"] }\n", ""}}, {"demo.toml:61", "key 'plant' is missing"}},
    {"chips of the wrong type",
     {{"chips = [\"gfx1030\", \"gfx1100\"]", "chips = \"gfx1030\""}},
     {"demo.toml:5", "chips is a string; expected an array of strings"}},
    {"a number that is no integer",
     {{"lds = 128", "lds = 1.5"}},
     {"demo.toml:29", "lds is a floating-point number; expected an integer or a string"}},
    {"a boolean of the wrong type",
     {{"served = true", "served = 1"}},
     {"demo.toml:33", "served is an integer; expected true or false"}},
    {"a table where an array belongs",
     {{"launch = [{ block = [64], grid = [\"ceildiv(count, 64)\"] }]", "launch = { block = [64], grid = [1] }"}},
     {"demo.toml:43", "launch is a table; expected an array of tables"}},
    {"kernel is no array",
     {
         {kGood.substr(kGood.find("[[kernel]]")), "[kernel]\nname = \"sum\"\n"},
     },
     {"demo.toml:7", "kernel is a table; expected an array of tables"}},
    {"unknown chip", {{"\"gfx1100\"", "\"gfx1110\""}}, {"demo.toml:5", "gfx1110", "gfx1100"}},
    {"chip twice", {{"\"gfx1100\"", "\"gfx1030\""}}, {"demo.toml:5", "chip 'gfx1030' is listed twice"}},
    {"no chips", {{"[\"gfx1030\", \"gfx1100\"]", "[]"}}, {"demo.toml:5", "chips is empty"}},
    {"duplicate kernel",
     {{"name = \"twice\"", "name = \"sum\""}},
     {"demo.toml:35", "kernel \"sum\" is declared twice; the first is at demo.toml:7"}},
    {"duplicate argument",
     {{"{ name = \"v\", dir", "{ name = \"out\", dir"}},
     {"demo.toml:40", "argument \"out\"", "declared twice"}},
    {"duplicate control",
     {{"[[control]]", "[[control]]\nname = \"too few\"\nof = \"sum\"\nplant = { args = [\"x\"] }\nred_at = 1\nfinding "
                      "= \"argument mismatch\"\n[[control]]"}},
     {"demo.toml:67", "control \"too few\" is declared twice; the first is at demo.toml:61"}},
    {"a name with a slash", {{"name = \"demo\"", "name = \"../demo\""}}, {"demo.toml:2", "name '../demo'"}},
    {"control of an unknown kernel",
     {{"of = \"sum\"", "of = \"summ\""}},
     {"demo.toml:63", "of unknown kernel 'summ'", "did you mean \"sum\"?"}},
    {"control on another chip",
     {{"red_at = 1", "chips = [\"gfx1201\"]\nred_at = 1"}},
     {"demo.toml:65", "chip 'gfx1201' is not one of 'sum'"}},
    {"red_at of no gate", {{"red_at = 1", "red_at = 6"}}, {"demo.toml:65", "red_at is 6; expected a gate, 1 to 5"}},
    {"red_at 0", {{"red_at = 1", "red_at = 0"}}, {"demo.toml:65", "red_at is 0"}},
    {"unknown finding kind",
     {{"\"argument mismatch\"", "\"argument mismatches\""}},
     {"demo.toml:66", "unknown finding kind 'argument mismatches'", "did you mean \"argument mismatch\"?"}},
    {"one unknown kind of several",
     {{"finding = \"argument mismatch\"", "finding = [\"argument mismatch\",\n\"guard\"]"}},
     {"demo.toml:67", "unknown finding kind 'guard'"}},
    {"no finding kinds", {{"finding = \"argument mismatch\"", "finding = []"}}, {"demo.toml:66", "finding is empty"}},
    {"unknown device",
     {{"red_at = 1", "red_at = 1\ndevice = \"card\""}},
     {"demo.toml:66", "device is 'card'", "embedded"}},
    {"replaces an unknown kernel",
     {{"kernel = \"twice\"", "kernel = \"twise\""}},
     {"demo.toml:50", "replaces unknown kernel 'twise'", "\"twice\"", "declared under the same root"}},
    {"replaces itself",
     {{"kernel = \"twice\"", "kernel = \"sum_twice\""}},
     {"demo.toml:46", "'replaces' is cyclic: sum_twice -> sum_twice"}},
    {"cyclic replaces",
     {{"oracle = \"sum\"", "oracle = \"sum\"\nmatch = \"bound\"\nreplaces = [\"twice\"]"},
      {"oracle = \"twice\"", "oracle = \"twice\"\nmatch = \"bound\"\nreplaces = [\"sum\"]"}},
     {"demo.toml:7", "'replaces' is cyclic: sum -> twice -> sum"}},
    {"replaces a kernel of other chips",
     {{"oracle = \"twice\"", "oracle = \"twice\"\nchips = [\"gfx1030\"]"}},
     {"demo.toml:51", "replaces 'twice', which is not declared for gfx1100"}},
    {"bytes without a replaced kernel",
     {{"oracle = \"twice\"", "oracle = \"twice\"\nmatch = \"bytes\""}},
     {"demo.toml:38", "match is 'bytes' but nothing is replaced"}},
    {"unknown match",
     {{"match = \"bytes\"", "match = \"byte\""}},
     {"demo.toml:49", "match is 'byte'", "did you mean \"bytes\"?"}},
    {"unknown oracle",
     {{"oracle = \"twice\"", "oracle = \"twise\""}},
     {"demo.toml:37", "unknown oracle 'twise'", "\"twice\"",
      "expected one of sum, twice, sum_twice, or one of a library that --oracles names"}},
    {"division by zero for one shape",
     {{"grid = [\"ceildiv(n, 2)\"]", "grid = [\"100/(n-5)\"]"}},
     {"demo.toml:28", "kernel \"sum\", shape n=5: grid[0]", "'100/(n-5)'", "division by zero"}},
    {"overflow",
     {{"dims = [\"n\"]", "dims = [\"n*9223372036854775807\"]"}},
     {"demo.toml:21", "argument \"out\" dims[0]", "does not fit in 64 bits"}},
    {"a name that does not resolve",
     {{"dims = [\"n\", \"lanes\"]", "dims = [\"n\", \"lane\"]"}},
     {"demo.toml:16", "argument \"x\" dims[1]", "unknown name 'lane'", "did you mean \"lanes\"?"}},
    {"a negative dimension",
     {{"dims = [\"n\"]", "dims = [\"n-6\"]"}},
     {"demo.toml:21", "shape n=5", "'n-6' is -1; expected 0"}},
    {"a buffer over 1 TiB", {{"dims = [\"n\"]", "dims = [\"n*1000000000000\"]"}}, {"demo.toml:21", "over 1 TiB"}},
    {"an expression that does not parse",
     {{"grid = [\"ceildiv(n, 2)\"]", "grid = [\"ceildiv(n, 2\"]"}},
     {"demo.toml:28", "grid[0]", "column 13"}},
    {"an unknown function",
     {{"grid = [\"ceildiv(n, 2)\"]", "grid = [\"ceilDiv(n, 2)\"]"}},
     {"demo.toml:28", "unknown function 'ceilDiv'", "\"ceildiv\""}},
    {"a scalar that does not fit its type",
     {{"name = \"n\"\ntype = \"i32\"", "name = \"n\"\ntype = \"i8\"\nvalue = \"n*2\""}},
     {"demo.toml:25", "argument \"n\"", "'n*2' is 140; expected -128 to 127"}},
    {"a scalar without a value",
     {{"name = \"count\", type", "name = \"counts\", type"}},
     {"demo.toml:41", "unknown name 'counts'", "\"count\""}},
    {"a scalar that is written",
     {{"name = \"count\", type", "name = \"count\", dir = \"out\", type"}},
     {"demo.toml:41", "a scalar with dir 'out'"}},
    {"unknown element type", {{"type = \"f32\"", "type = \"float\""}}, {"demo.toml:15", "type is 'float'", "f32"}},
    {"unknown direction",
     {{"dir = \"in\"", "dir = \"input\""}},
     {"demo.toml:14", "dir is 'input'", "did you mean \"in\"?"}},
    {"an output by its long name", {{"dir = \"out\"", "dir = \"output\""}}, {"demo.toml:19", "did you mean \"out\"?"}},
    {"a mark of a shape that is none",
     {{"served = true", "servd = true"}},
     {"demo.toml:33", "unknown mark 'servd' (did you mean \"served\"?); expected one of served, ragged"}},
    {"another mark that is none", {{"served = true", "raggd = true"}}, {"demo.toml:33", "did you mean \"ragged\"?"}},
    {"an alignment below the element",
     {{"dims = [\"n\"]", "dims = [\"n\"]\nalign = 2"}},
     {"demo.toml:22", "align is 2; expected a power of two from the element's 4"}},
    {"an alignment that is no power of two",
     {{"dims = [\"n\"]", "dims = [\"n\"]\nalign = 12"}},
     {"demo.toml:22", "align is 12"}},
    {"unknown init",
     {{"dims = [\"n\"]", "dims = [\"n\"]\ninit = \"zeros\""}},
     {"demo.toml:22", "init is 'zeros'", "\"zero\""}},
    {"dims without elements", {{"dims = [\"n\"]", "dims = []"}}, {"demo.toml:21", "dims is empty"}},
    {"nothing is written",
     {{"dir = \"out\", type = \"f32\", dims = [\"count\"]", "dir = \"in\", type = \"f32\", dims = [\"count\"]"}},
     {"demo.toml:38", "no argument has dir 'out'"}},
    {"a launch argument that is not declared",
     {{"args = [\"x\", \"out\", \"n\"]", "args = [\"x\", \"out\", \"m\"]"}},
     {"demo.toml:30", "'m' is not declared", "expected one of x, out, n", "demo.toml:22",
      "argument \"n\" is declared, but no launch takes it"}},
    {"an argument that no launch takes",
     {{"args = [\"x\", \"out\", \"n\"]", "args = [\"x\", \"n\"]"}},
     {"demo.toml:17", "argument \"out\" is declared, but no launch takes it"}},
    {"a launch takes an intermediate",
     {{"launch = [{ block = [32], grid = [\"n\"] }]",
       "launch = [{ block = [32], grid = [\"n\"], args = [\"x\", \"mid\", \"out\", \"n\"] }]"}},
     {"demo.toml:58", "'mid' is an intermediate"}},
    {"a block over 1024",
     {{"block = [64]", "block = [2048]"}},
     {"demo.toml:43", "block[0]", "'2048' is 2048; expected 1 to 1024"}},
    {"a block over the chip's workgroup",
     {{"block = [64]", "block = [64, 64]"}},
     {"demo.toml:43", "block: 4096 work-items; gfx1030 allows 1024"}},
    {"a block of nothing", {{"block = [64]", "block = [0]"}}, {"demo.toml:43", "'0' is 0; expected 1"}},
    {"a block of four",
     {{"block = [64]", "block = [1, 1, 1, 1]"}},
     {"demo.toml:43", "block has 4 elements; expected 1 to 3"}},
    {"an empty grid",
     {{"grid = [\"ceildiv(n, 2)\"]", "grid = [\"n/70\"]"}},
     {"demo.toml:28", "shape n=5: grid[0]", "'n/70' is 0"}},
    {"a grid over 2^32 work-items",
     {{"grid = [\"ceildiv(n, 2)\"]", "grid = [2147483647]"}},
     {"demo.toml:28", "grid[0]", "work-items"}},
    {"LDS over the chip's", {{"lds = 128", "lds = 65540"}}, {"demo.toml:29", "lds: 65540 bytes; gfx1030 allows 65536"}},
    {"no kernels", {{kGood.substr(kGood.find("[[kernel]]")), ""}}, {"demo.toml:1", "no [[kernel]]"}},
    {"no shapes", {{"shape = [{ count = 7 }]\n", ""}}, {"demo.toml:35", "kernel \"twice\": key 'shape' is missing"}},
    {"an empty list of shapes", {{"shape = [{ count = 7 }]", "shape = []"}}, {"demo.toml:44", "shape is empty"}},
    {"a shape without variables",
     {{"shape = [{ count = 7 }]", "shape = [{ served = true }]"}},
     {"demo.toml:44", "no variables"}},
    {"a shape variable without values", {{"n = [5, 70]", "n = []"}}, {"demo.toml:32", "variable 'n' has no values"}},
    {"shapes of different variables",
     {{"shape = [{ count = 7 }]", "shape = [{ count = 7 },\n{ count = 8, k = 1 }]"}},
     {"demo.toml:45", "not those of the shape at line 44"}},
    {"a shape variable that is a parameter",
     {{"n = [5, 70]", "n = [5, 70]\nlanes = 1"}},
     {"demo.toml:33", "variable 'lanes' is also a parameter"}},
    {"a shape over an unknown parameter",
     {{"n = [5, 70]", "n = [5, \"lane\"]"}},
     {"demo.toml:32", "variable: 'n'", "unknown name 'lane'"}},
    {"a parameter that depends on itself",
     {{"lanes = 32", "lanes = \"waves*32\"\nwaves = \"lanes/32\""}},
     {"demo.toml:11", "'lanes' depends on itself through lanes, waves"}},
    {"a replaced argument that does not bind",
     {{"args = { out = \"mid\" }", "args = { out = \"middle\" }"}},
     {"demo.toml:50", "argument 'out' of 'sum' cannot bind: 'middle' is no buffer here",
      "expected one of x, mid, out"}},
    {"a binding of an unknown argument",
     {{"args = { v = \"mid\", count", "args = { w = \"mid\", count"}},
     {"demo.toml:50", "binds 'w', which is no buffer or shape variable of 'twice'", "count, v, out"}},
    {"a replaced variable that does not resolve",
     {{", count = \"n\" }", " }"}},
     {"demo.toml:50", "variable 'count' of 'twice'", "unknown name 'count'"}},
    {"replaced buffers of other sizes",
     {{"count = \"n\" }", "count = \"n+1\" }"}},
     {"demo.toml:50", "has 8 elements, but", "has 7"}},
    {"replaced buffers of other types",
     {{"{ name = \"mid\", dir = \"intermediate\", type = \"f32\"",
       "{ name = \"mid\", dir = \"intermediate\", type = \"u32\""}},
     {"demo.toml:50", "argument 'out' of 'sum' is f32, but 'mid' is u32"}},
    {"a chain that reads what nothing wrote",
     {{"args = { out = \"mid\" }", "args = { out = \"out\" }"}},
     {"demo.toml:50", "reads 'mid', which is no input and which no earlier stage writes"}},
    {"a chain that writes an input",
     {{"args = { out = \"mid\" }", "args = { out = \"y\" }"},
      {"    { name = \"mid\"",
       "    { name = \"y\", dir = \"in\", type = \"f32\", dims = [\"n\"] },\n    { name = \"mid\""}},
     {"demo.toml:50", "writes 'y', whose dir is 'in'"}},
    {"a chain that does not write the output",
     {{"args = { v = \"mid\", count = \"n\" }", "args = { v = \"mid\", out = \"mid\", count = \"n\" }"}},
     {"demo.toml:55", "no stage of the replaced chain writes argument \"out\""}},
    {"an intermediate without a chain",
     {{"    { name = \"v\", dir",
       "    { name = \"mid\", dir = \"intermediate\", type = \"f32\", dims = [\"count\"] },\n    { name = \"v\", dir"}},
     {"demo.toml:39", "\"mid\" is an intermediate, but nothing is replaced"}},
    {"a plant of nothing", {{"plant = { args = [\"x\", \"out\"] }", "plant = {}"}}, {"demo.toml:64", "holds no fault"}},
    {"a plant of two faults",
     {{"plant = { args = [\"x\", \"out\"] }", "plant = { args = [\"x\"], symbol = \"other\" }"}},
     {"demo.toml:64", "holds 2 faults (symbol; args)"}},
    {"an unknown plant",
     {{"plant = { args = [\"x\", \"out\"] }", "plant = { argz = [\"x\"] }"}},
     {"demo.toml:64", "unknown key 'argz'", "\"args\""}},
    {"planted arguments that are the real ones",
     {{"args = [\"x\", \"out\"]", "args = [\"x\", \"out\", \"n\"]"}},
     {"demo.toml:64", "nothing is planted"}},
    {"planted arguments that are unknown",
     {{"args = [\"x\", \"out\"]", "args = [\"x\", \"outs\"]"}},
     {"demo.toml:64", "'outs' is no argument of 'sum'", "\"out\""}},
    {"a planted symbol that is the real one",
     {{"args = [\"x\", \"out\"]", "symbol = \"sum\""}},
     {"demo.toml:64", "the planted symbol is what 'sum' has"}},
    {"a planted parameter that is unknown",
     {{"args = [\"x\", \"out\"]", "params = { lane = 4 }"}},
     {"demo.toml:64", "'lane' is no parameter of 'sum'", "\"lanes\""}},
    {"a planted parameter that is the real one",
     {{"args = [\"x\", \"out\"]", "params = { lanes = 32 }"}},
     {"demo.toml:64", "nothing is planted"}},
    {"a planted parameter that does not evaluate",
     {{"args = [\"x\", \"out\"]", "params = { lanes = -1 }"}},
     {"demo.toml:64", "control \"too few\": with its params, shape n=5: argument \"x\" dims[1]", "'lanes' is -1"}},
    {"mutated bytes that are no hex",
     {{"args = [\"x\", \"out\"]", "mutate = { find = \"0g\", replace = \"00\" }"}},
     {"demo.toml:64", "find is '0g'; expected whole bytes"}},
    {"half a mutated byte",
     {{"args = [\"x\", \"out\"]", "mutate = { find = \"abc\", replace = \"00\" }"}},
     {"demo.toml:64", "find is 'abc'"}},
    {"mutated bytes of other length",
     {{"args = [\"x\", \"out\"]", "mutate = { find = \"abcd\", replace = \"00\" }"}},
     {"demo.toml:64", "find has 2 bytes and replace 1"}},
    {"a mutation of nothing",
     {{"args = [\"x\", \"out\"]", "mutate = { find = \"AB\", replace = \"ab\" }"}},
     {"demo.toml:64", "nothing is planted"}},
    {"a mutation of no form",
     {{"args = [\"x\", \"out\"]", "mutate = { symbol = \"sum\" }"}},
     {"demo.toml:64", "mutate: holds no fault; expected one of instruction, metadata, find"}},
    {"an unknown key of a mutation",
     {{"args = [\"x\", \"out\"]", "mutate = { instructions = \"s_nop 0\", replace = \"s_nop 1\" }"}},
     {"demo.toml:64", "unknown key 'instructions'", "did you mean \"instruction\"?"}},
    {"a mutated instruction without a replacement",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = \"s_nop 0\" }"}},
     {"demo.toml:64", "key 'replace' is missing"}},
    {"a mutated instruction of the wrong type",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = 3, replace = \"s_nop 0\" }"}},
     {"demo.toml:64", "instruction is an integer; expected a string"}},
    {"a mutated instruction that is empty",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = \"\", replace = \"s_nop 0\" }"}},
     {"demo.toml:64", "instruction is empty"}},
    {"no spellings of a mutated instruction",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = [], replace = \"s_nop 0\" }"}},
     {"demo.toml:64", "instruction is empty"}},
    {"more replacements than one but not one each",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = [\"a\", \"b\", \"c\"], replace = [\"x\", \"y\"] }"}},
     {"demo.toml:64", "instruction has 3 spellings and replace 2"}},
    {"a replacement with more stars",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = [\"a * *\", \"b\"], replace = \"c *\" }"}},
     {"demo.toml:64", "replace 'c *' has more * than the instruction 'b'"}},
    {"an instruction replaced by itself",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = [\"a\", \"b\"], replace = [\"b\", \"b\"] }"}},
     {"demo.toml:64", "'b' is replaced by itself; nothing is planted"}},
    {"an occurrence from 0",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = \"a\", replace = \"b\", occurrence = 0 }"}},
     {"demo.toml:64", "expected a number from 1, or \"last\""}},
    {"an occurrence in words",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = \"a\", replace = \"b\", occurrence = \"first\" }"}},
     {"demo.toml:64", "expected a number from 1, or \"last\""}},
    {"a mutated instruction of another kernel",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = \"a\", replace = \"b\", symbol = \"summ\" }"}},
     {"demo.toml:64", "'sum' launches no symbol 'summ'", "did you mean \"sum\"?"}},
    {"a mutation of two forms",
     {{"args = [\"x\", \"out\"]", "mutate = { instruction = \"a\", replace = \"b\", find = \"00\" }"}},
     {"demo.toml:64", "'find' does not go with instruction"}},
    {"mutated metadata and bytes",
     {{"args = [\"x\", \"out\"]", "mutate = { metadata = \".vgpr_count\", add = 1, replace = \"00\" }"}},
     {"demo.toml:64", "'replace' does not go with metadata; expected metadata, symbol, value, add"}},
    {"mutated bytes of a symbol",
     {{"args = [\"x\", \"out\"]", "mutate = { find = \"00\", replace = \"01\", symbol = \"sum\" }"}},
     {"demo.toml:64", "'symbol' does not go with find"}},
    {"a mutated field that is none",
     {{"args = [\"x\", \"out\"]", "mutate = { metadata = \"vgpr_count\", add = 1 }"}},
     {"demo.toml:64", "metadata is 'vgpr_count'; expected a field like .vgpr_count"}},
    {"a mutated field without a value",
     {{"args = [\"x\", \"out\"]", "mutate = { metadata = \".vgpr_count\" }"}},
     {"demo.toml:64", "holds neither of value and add; expected one of them"}},
    {"a mutated field with two values",
     {{"args = [\"x\", \"out\"]", "mutate = { metadata = \".vgpr_count\", add = 1, value = 2 }"}},
     {"demo.toml:64", "holds both value and add"}},
    {"a mutated field plus nothing",
     {{"args = [\"x\", \"out\"]", "mutate = { metadata = \".vgpr_count\", add = 0 }"}},
     {"demo.toml:64", "add is 0; nothing is planted"}},
    {"a mutated field of the wrong type",
     {{"args = [\"x\", \"out\"]", "mutate = { metadata = \".vgpr_count\", add = \"1\" }"}},
     {"demo.toml:64", "add is a string; expected an integer"}},
    {"an edit of nothing",
     {{"args = [\"x\", \"out\"]", "edit = [{ from = \"\", to = \"x\" }]"}},
     {"demo.toml:64", "from is empty"}},
    {"an edit without effect",
     {{"args = [\"x\", \"out\"]", "edit = [{ from = \"x\", to = \"x\" }]"}},
     {"demo.toml:64", "the same"}},
    {"an edit that lacks a side",
     {{"args = [\"x\", \"out\"]", "edit = [{ from = \"x\" }]"}},
     {"demo.toml:64", "key 'to' is missing"}},
    {"a define that is no name",
     {{"args = [\"x\", \"out\"]", "define = [\"-DX\"]"}},
     {"demo.toml:64", "define '-DX'; expected NAME or NAME=VALUE"}},
    {"an absolute source", {{"\"kernels/demo.hip\"", "\"/kernels/demo.hip\""}}, {"demo.toml:3", "is absolute"}},
    {"a source outside the project",
     {{"\"kernels/demo.hip\"", "\"kernels/../../demo.hip\""}},
     {"demo.toml:3", "leaves its folder"}},
    {"a planted source outside the project",
     {{"args = [\"x\", \"out\"]", "source = \"../a.hip\""}},
     {"demo.toml:64", "leaves its folder"}},
    {"a known finding of no gate",
     {{"[[kernel.shape]]", "[[kernel.known]]\ngate = 7\nchip = \"gfx1030\"\nfinding = \"guard overwritten\"\nreason = "
                           "\"r\"\n[[kernel.shape]]"}},
     {"demo.toml:32", "gate is 7; expected 1 to 5"}},
    {"a known finding of another chip",
     {{"[[kernel.shape]]", "[[kernel.known]]\ngate = 2\nchip = \"gfx1201\"\nfinding = \"guard overwritten\"\nreason = "
                           "\"r\"\n[[kernel.shape]]"}},
     {"demo.toml:33", "chip 'gfx1201' is not one of the registration's"}},
    {"a known finding of no kind",
     {{"[[kernel.shape]]",
       "[[kernel.known]]\ngate = 2\nchip = \"gfx1030\"\nfinding = \"guard\"\nreason = \"r\"\n[[kernel.shape]]"}},
     {"demo.toml:34", "unknown finding kind 'guard'"}},
    {"a known finding without a reason",
     {{"[[kernel.shape]]", "[[kernel.known]]\ngate = 2\nchip = \"gfx1030\"\nfinding = \"guard overwritten\"\nreason = "
                           "\"\"\n[[kernel.shape]]"}},
     {"demo.toml:35", "reason is empty"}},
    {"each without values",
     {{"oracle = \"twice\"", "oracle = \"twice\"\neach = { bits = [] }"}},
     {"demo.toml:38", "'bits' is empty"}},
    {"each of the wrong type",
     {{"oracle = \"twice\"", "oracle = \"twice\"\neach = { bits = 4 }"}},
     {"demo.toml:38", "bits is an integer; expected an array"}},
    {"each that names a value twice",
     {{"oracle = \"twice\"", "oracle = \"twice\"\neach = { bits = [4], t = [{ bits = 5 }] }"}},
     {"demo.toml:38", "'bits' is named twice"}},
    {"each that does not make names differ",
     {{"oracle = \"twice\"", "oracle = \"twice\"\neach = { bits = [4, 5] }"}},
     {"demo.toml:35", "kernel \"twice\" is declared twice"}},
    {"a name of each that is unknown",
     {{"name = \"twice\"", "name = \"twice_{bit}\"\neach = { bits = [4, 5] }"}},
     {"demo.toml:36", "'{bit}' is not a name of 'each'", "\"bits\""}},
    {"a parameter that each names too",
     {{"lanes = 32\n", "lanes = 32\n[kernel.each]\nlanes = [32]\n"}},
     {"demo.toml:11", "parameter 'lanes' is also a name of 'each'"}},
    {"too many expansions",
     {{"name = \"twice\"",
       "name = \"twice_{a}{b}\"\neach = { a = "
       "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33], b = "
       "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32] }"}},
     {"demo.toml:37", "more than 1024 expansions"}},
    {"TOML that does not parse", {{"lds = 128", "lds = = 128"}}, {"demo.toml:29", "not TOML"}},
    {"a key twice", {{"lds = 128", "lds = 128\nlds = 256"}}, {"demo.toml:30", "not TOML"}},
    {"bytes that are no UTF-8", {{"\"kernels/demo.hip\"", "\"kernels/\xff\xfe.hip\""}}, {"demo.toml:3", "not TOML"}},
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Malformed : public testing::TestWithParam<Case> {};

TEST_P(Malformed, IsRefusedWithFileLineAndWhatWasExpected) {
    const auto registry = hkc::parse_registry(changed(GetParam().changes), "demo.toml", kNames);
    ASSERT_FALSE(registry) << GetParam().name;
    for (const std::string& part : GetParam().expected)
        EXPECT_NE(registry.error().text.find(part), std::string::npos)
            << GetParam().name << ": '" << part << "' is not in:\n"
            << registry.error().text;
    // Every line of the message names a place.
    for (std::size_t at = 0; at != std::string::npos; at = registry.error().text.find('\n', at + 1))
        EXPECT_EQ(registry.error().text.compare(at == 0 ? 0 : at + 1, 10, "demo.toml:"), 0) << registry.error().text;
}

INSTANTIATE_TEST_SUITE_P(Registry, Malformed, testing::ValuesIn(kCases), [](const testing::TestParamInfo<Case>& info) {
    std::string name;
    for (const char c : info.param.name) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
});

TEST(MalformedBase, IsGood) {
    const auto registry = hkc::parse_registry(kGood, "demo.toml", kNames);
    ASSERT_TRUE(registry) << registry.error().text;
    EXPECT_EQ(registry->kernels.size(), 3u);
    EXPECT_EQ(registry->controls.size(), 1u);
}

TEST(MalformedBase, EveryProblemIsListedInOrder) {
    const std::string text = changed({{"\"-O3\"", "3"},
                                      {"oracle = \"sum\"", "oracle = \"sun\""},
                                      {"dir = \"in\"", "dir = \"inn\""},
                                      {"lds = 128", "lds = true"},
                                      {"red_at = 1", "red_at = 9"}});
    const auto registry = hkc::parse_registry(text, "demo.toml", kNames);
    ASSERT_FALSE(registry);
    std::size_t from = 0;
    for (const std::string place :
         {"demo.toml:4:", "demo.toml:9:", "demo.toml:14:", "demo.toml:29:", "demo.toml:65:"}) {
        const auto at = registry.error().text.find(place, from);
        ASSERT_NE(at, std::string::npos) << place << " is missing or out of order in:\n" << registry.error().text;
        from = at;
    }
}

// What a key was misspelt from is not missing besides, in whatever table it stands.
TEST(MalformedBase, AMisspeltKeyIsOneProblem) {
    const std::vector<Change> misspellings{{"chips = [\"gfx1030\", \"gfx1100\"]", "chip = [\"gfx1030\", \"gfx1100\"]"},
                                           {"grid = [\"ceildiv(n, 2)\"]", "gird = [\"ceildiv(n, 2)\"]"},
                                           {"plant = { args", "plan = { args"}};
    for (const Change& change : misspellings) {
        const auto registry = hkc::parse_registry(changed({change}), "demo.toml", kNames);
        ASSERT_FALSE(registry);
        EXPECT_NE(registry.error().text.find("unknown key"), std::string::npos) << registry.error().text;
        EXPECT_EQ(registry.error().text.find('\n'), std::string::npos) << registry.error().text;
    }
}

TEST(MalformedBase, EmptyTextAndBinaryAreRefused) {
    for (const std::string& text : {std::string(), std::string("\n"), std::string("\0\1\2", 3),
                                    std::string(100000, '['), std::string("a = ") + std::string(5000, '[')}) {
        const auto registry = hkc::parse_registry(text, "demo.toml", kNames);
        ASSERT_FALSE(registry);
        EXPECT_NE(registry.error().text.find("demo.toml:1"), std::string::npos) << registry.error().text;
    }
}

class Tree : public testing::Test {
protected:
    void SetUp() override {
        root_ = std::filesystem::temp_directory_path() /
                fmt::format("hkc-registry-{}", testing::UnitTest::GetInstance()->random_seed() + ::getpid());
        std::filesystem::create_directories(root_ / "registry");
        std::filesystem::create_directories(root_ / "kernels");
    }
    void TearDown() override { std::filesystem::remove_all(root_); }
    void write(const std::string& path, const std::string& text) const {
        std::ofstream(root_ / path, std::ios::binary) << text;
    }
    std::string error() const {
        const auto registry = hkc::load_registry(root_, kNames);
        return registry ? "" : registry.error().text;
    }
    std::filesystem::path root_;
};

TEST_F(Tree, GoodTreeLoads) {
    write("registry/demo.toml", kGood);
    write("registry/notes.txt", "not a registry");
    write("kernels/demo.hip", "a(b); c(d);");
    EXPECT_EQ(error(), "");
}

TEST_F(Tree, EmptyFolderAndMissingFolder) {
    EXPECT_NE(error().find("no *.toml file"), std::string::npos) << error();
    std::filesystem::remove_all(root_ / "registry");
    EXPECT_NE(error().find((root_ / "registry").string()), std::string::npos) << error();
}

TEST_F(Tree, MissingSource) {
    write("registry/demo.toml", kGood);
    EXPECT_NE(error().find("registry/demo.toml:3: family \"demo\": source 'kernels/demo.hip' is not a file"),
              std::string::npos)
        << error();
}

TEST_F(Tree, MissingPlantedSource) {
    write("registry/demo.toml", changed({{"args = [\"x\", \"out\"]", "source = \"controls/bad.hip\""}}));
    write("kernels/demo.hip", "");
    EXPECT_NE(error().find("registry/demo.toml:64: control \"too few\": source 'controls/bad.hip' is not a file"),
              std::string::npos)
        << error();
}

TEST_F(Tree, EditsMustApplyExactlyOnce) {
    const auto with_edit = [&](const std::string& edits) {
        write("registry/demo.toml", changed({{"args = [\"x\", \"out\"]", "edit = [" + edits + "]"}}));
    };
    write("kernels/demo.hip", "a(b); c(d); c(e);");
    with_edit(R"e({ from = "c(d)", to = "c(f)" })e");
    EXPECT_EQ(error(), "");
    with_edit(R"e({ from = "c(", to = "g(" })e");
    EXPECT_NE(
        error().find("registry/demo.toml:64: control \"too few\": source 'kernels/demo.hip': edit 1: 'c(' is in the "
                     "source more than once"),
        std::string::npos)
        << error();
    with_edit(R"e({ from = "c(d)", to = "x" }, { from = "c(", to = "y(" })e");
    EXPECT_EQ(error(), "") << "an edit sees the text that the earlier ones left";
    with_edit(R"e({ from = "zz", to = "g" })e");
    EXPECT_NE(error().find("edit 1: 'zz' is not in the source"), std::string::npos) << error();
}

TEST_F(Tree, ProblemsOfAllFilesAreListed) {
    write("registry/a.toml", changed({{"name = \"demo\"", "name = \"other\""}, {"lds = 128", "lds = = 1"}}));
    write("registry/b.toml", changed({{"red_at = 1", "red_at = 7"}}));
    write("kernels/demo.hip", "");
    EXPECT_NE(error().find("registry/a.toml:29: not TOML"), std::string::npos) << error();
    EXPECT_NE(error().find("registry/b.toml:65: control \"too few\": red_at is 7"), std::string::npos) << error();
}

TEST_F(Tree, FamiliesAndKernelsAreUniqueAcrossFiles) {
    write("registry/a.toml", kGood);
    write("registry/b.toml", kGood);
    write("kernels/demo.hip", "");
    EXPECT_NE(error().find("registry/b.toml:1: family \"demo\" is declared twice; the first is at registry/a.toml:1"),
              std::string::npos)
        << error();
    EXPECT_NE(error().find("registry/b.toml:7: kernel \"sum\" is declared twice; the first is at registry/a.toml:7"),
              std::string::npos)
        << error();
}

} // namespace

import Testing

/// A rule that can't fail proves nothing, so each rule is tested with a violation.
@Suite("House rules find planted violations") struct PlantedViolationTests {
  private func file(_ path: String, _ text: String) -> SourceFile {
    SourceFile(path: "Sources/" + path, text: text)
  }

  @Test("Comments and strings aren't code")
  func blanking() {
    let text = #"""
      let a = "Type // \(Inner("x")) \" more" // Comment
      let b = """
        Long "quoted" Text
        """ /* Block
      */ + #"Raw " text"# + Code.x
      """#
    let words = file("A/A.swift", text).capitalizedWords
    #expect(words == ["Code"])
    #expect(file("A/A.swift", text).code.count == 5)
  }

  @Test("Two folders that name each other")
  func folders() {
    let up = file("App/Views/View.swift", "struct View { var model: Model }")
    let down = file("App/Model/Model.swift", "public final class Model {}")
    #expect(Rules.folderCircles(in: [up, down]).isEmpty)
    let back = file("App/Model/Other.swift", "enum Other { static var x: View? { nil } }")
    #expect(Rules.folderCircles(in: [up, down, back]) == ["App/Model ⇄ App/Views"])
  }

  @Test("A face that names a type of another face")
  func faces() {
    let window = file("matinee/Window/Window.swift", "struct Scene { var program: Program }")
    let program = file("matinee/Program/Program.swift", "actor Program {}")
    let terminal = file("matinee/Terminal/Terminal.swift", "actor Terminal {}")
    func found(_ files: [SourceFile]) -> Set<String> {
      Rules.arrows(between: ["Terminal", "Window"], of: "matinee", in: files)
    }
    #expect(found([window, program, terminal]).isEmpty)
    let bad = file("matinee/Terminal/Other.swift", "func draw(_ scene: Scene) {}")
    #expect(
      found([window, program, terminal, bad]) == ["matinee/Terminal → matinee/Window: Scene"])
  }

  @Test("A floor that names a type of a higher one, and a folder that is no floor")
  func floors() {
    let low = file("App/Wire/Message.swift", "struct Message { var text: String }")
    let middle = file("App/Machines/Clock/Clock.swift", "struct Clock { var last: Message }")
    let high = file("App/Party/Party.swift", "actor Party { var clock: Clock }")
    func found(_ files: [SourceFile]) -> Set<String> {
      Rules.risingArrows(of: "App", floors: ["Wire", "Machines/Clock", "Party"], in: files)
    }
    #expect(found([low, middle, high]).isEmpty)
    let bad = file("App/Wire/Other.swift", "func tell(_ clock: Clock, _ party: Party) {}")
    #expect(
      found([low, middle, high, bad]) == ["Wire → Machines/Clock: Clock", "Wire → Party: Party"])
    #expect(found([low, file("App/Attic/A.swift", "")]) == ["Attic is no floor"])
  }

  @Test("An import that the manifest doesn't name")
  func imports() {
    let manifest = Manifest(
      """
      .target(name: "Top", dependencies: ["Bottom", .product(name: "Log", package: "log")]),
      .target(name: "Bottom", dependencies: []),
      """)
    let bottom = file("Bottom/B.swift", "")
    let good = file("Top/A.swift", "import Bottom\nimport Foundation")
    #expect(Rules.undeclaredImports(in: [good, bottom], manifest).isEmpty)
    let bad = file("Bottom/C.swift", "@testable import Top")
    #expect(Rules.undeclaredImports(in: [good, bad], manifest) == ["Bottom → Top"])
  }

  @Test("A C module with two importers")
  func modules() {
    let files = [file("A/A.swift", "import CMPV"), file("B/B.swift", "import CMPV")]
    #expect(Rules.sharedModules(in: files, modules: ["CMPV"]) == ["CMPV: A, B"])
    #expect(Rules.sharedModules(in: [files[0]], modules: ["CMPV"]).isEmpty)
  }

  @Test(
    "A stream without a bound",
    arguments: [
      ("let (a, b) = AsyncStream.makeStream(of: Int.self)", 1),
      ("AsyncStream<Int> { $0.finish() }\nAsyncStream<[Int]>(Int.self) { _ in }", 1),
      ("AsyncStream.makeStream(\n  of: Int.self, bufferingPolicy: .bufferingNewest(1))", 0),
      ("AsyncStream(unfolding: { 1 })", 0), ("// AsyncStream.makeStream()", 0),
    ])
  func streams(text: String, count: Int) {
    #expect(
      Rules.unboundedStreams(in: [file("A/A.swift", text)])["Sources/A/A.swift"] ?? 0 == count)
  }

  @Test("A default for a failed read, also over two lines")
  func failures() {
    let text = "let a = (try? f((1))) ?? []\nlet b = (try? g())\n  ?? 1\nlet c = (try? h())"
    #expect(Rules.substitutedFailures(in: [file("A/A.swift", text)]) == ["Sources/A/A.swift": 2])
  }

  @Test("A default over one of our enums, and none over integers or others' enums")
  func defaults() {
    let text = """
      enum Color: Hashable {
        case red, green(Int)
        case blue
        func f() {
          switch self {
          case .red: break
          case .green(let x) where x > 1:
            f()
          default: break
          }
          switch number {
          case 1: break
          default: break
          }
          switch other {
          case .theirs: break
          default: break
          }
          switch self {
          case .red, .blue: break
          case .green: break
          }
        }
      }
      """
    #expect(Rules.defaultsOverOwnEnums(in: [file("A/A.swift", text)]) == ["A": 1])
  }

  @Test("A public declaration, case or requirement without a comment")
  func documentation() {
    let text = """
      /// A value.
      @frozen
      public struct A {
        public var b: Int
        /// C.
        public var c: Int
        public static func == (a: A, b: A) -> Bool { true }
        /// A choice.
        public enum D {
          /// One.
          case one
          case two
          var isOne: Bool {
            switch self {
            case one: true
            case two: false
            }
          }
        }
      }

      /// Abilities.
      public protocol E {
        /// F.
        func f()
        var g: Int { get }
      }
      """
    #expect(Rules.undocumented(in: [file("A/A.swift", text)]) == ["A": 3])
  }

  @Test("A doc comment without a head, and one with a word to avoid")
  func language() {
    let text = """
      /// What is heard.
      var a = 1
      /// The audible position.
      /// What follows is another line.
      var b = 1
      /// The relay tells all.
      var c = 1
      """
    #expect(Rules.headlessComments(in: [file("A/A.swift", text)]) == ["A": 2])
  }

  @Test("A stored variable that an extension in another file may write")
  func variables() {
    let type = file(
      "A/A.swift",
      """
      actor A<
        Value
      >: Base {
        var open = 1 { didSet { f() } }
        private(set) var guarded = 1
        @Wrapper private var own: [String: (Int, Int)] = [:]
        var computed: Int { open }
        var long: Int {
          get { open }
          set { open = newValue }
        }
        #if os(Linux)
          package var second: () -> Void
        #endif
        static var shared = 1
        let constant = make {
          var local = 1
        }
        struct Inner { var a: Int; var b = f { 1 } }
      }
      """)
    #expect(Rules.openVariables(in: [type]).isEmpty)
    let reading = file(
      "A/B.swift", "extension A.Inner {\n  var sum: Int { a + b }\n  func show() {}\n}")
    #expect(Rules.openVariables(in: [type, reading]).isEmpty)
    let other = file("B/B.swift", "extension A {}")
    #expect(Rules.openVariables(in: [type, other]).isEmpty)
    let writing = file("A/C.swift", "extension A.Inner {\n  mutating func clear() { a = 0 }\n}")
    let more = file("A/D.swift", "extension A: Sendable {\n  func open() {}\n}")
    #expect(
      Rules.openVariables(in: [type, reading, writing, more]) == ["A.A": 2, "A.A.Inner": 2])
  }

  @Test("A declaration that no code names")
  func dead() {
    let text = #"""
      /// Uses `unused`, and says "unused".
      public struct Used {
        let unused = 1, text = "unused \(shown)"
        var shown: Int { stated() }
        static func unused(_ a: Used) -> Int { 1 }
        private func stated() -> Int { text.count }
        public func offered() {}
        static func + (a: Used, b: Used) -> Used { a }
      }
      enum Choice: String { case unwritten }
      enum Other {
        case first(Int),
          second
        var isFirst: Bool { if case .first = self { true } else { false } }
      }
      protocol Able {
        func able()
      }
      extension Used: Able {
        func able() {
          func local() {}
        }
        var description: String { "" }
      }
      func use(_ a: Choice, _ b: Other) { b.isFirst ? use(a, b) : () }
      """#
    let files = [file("A/A.swift", text)]
    let common: Set = [
      "A.Used.unused", "A.Other.second", "A.Able.able", "A.Used.able",
    ]
    #expect(Rules.dead(in: files, libraries: ["A"]) == common)
    #expect(Rules.dead(in: files, libraries: []) == common.union(["A.Used.offered"]))
  }

  @Test("Suites are found however they are written")
  func suites() {
    let text = """
      @Suite("One (1)", .serialized)
      struct OneTests {}
      extension OneTests {
        @Suite("Two") struct Two {}
      }
      @Suite(.enabled(if: isWanted)) final class ThreeTests {}
      """
    #expect(
      Suites.all(in: [SourceFile(path: "Tests/ATests/A.swift", text: text)]).map(\.name)
        == ["OneTests", "Two", "ThreeTests"])
  }

  @Test("A rule of a group without suites, and one whose suites go over two lines")
  func coordinationRules() {
    let rules = CoordinationRule.all(
      in: """
        ## Parties

        1. A party has an `invite`.
        2. An activity is a value
           for all.
           Tests: `OneTests`, `TwoTests`,
           `ThreeTests`.

        ### Overview of `other` things
        """)
    #expect(rules.map(\.number) == [1, 2])
    #expect(rules.map(\.suites) == [[], ["OneTests", "TwoTests", "ThreeTests"]])
  }
}

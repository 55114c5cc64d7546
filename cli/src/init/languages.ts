/** The name of the Go module; a test of the generator keeps it equal everywhere. */
const goModule = "tollgate.example/tollgate";

/** The files that `tollgate init` writes for a language, and the commands to run them. */
export interface Language {
  /** One of `cli/templates`. */
  readonly file: string;
  /** The library's files: source folder in the repository, names to copy, and target folder. */
  readonly library: {
    readonly from: string;
    readonly include: readonly string[];
    /** Files that are not copied. */
    readonly exclude?: RegExp;
    readonly to: string;
  };
  readonly needs: string;
  /** The commands that run the file, in the folder of the file. */
  readonly commands: readonly string[];
  /**
   * The package that replaces the copied library after its publication. It is a package name and not an install
   * command, because before the publication an attacker could register the name (dependency confusion).
   */
  readonly oncePublished: string;
}

/** The libraries are not published yet, so the npm package contains each, and `init` copies it next to the file. */
export const languages: Readonly<Record<string, Language>> = {
  node: {
    file: "shop.mts",
    library: {
      from: "clients/typescript",
      include: ["dist", "package.json", "README.md"],
      to: "tollgate-client",
    },
    needs: "Node 24",
    commands: ["npm install ./tollgate-client", "node shop.mts"],
    oncePublished: "@tollgate/client of npm",
  },
  java: {
    file: "Shop.java",
    library: { from: "clients/java/src/main/java", include: ["io"], to: "tollgate-java" },
    needs: "a JDK, 17 or newer",
    commands: ["javac -d classes -sourcepath tollgate-java Shop.java", "java -cp classes Shop"],
    oncePublished: "io.tollgate:tollgate-java of Maven Central",
  },
  php: {
    file: "shop.php",
    library: {
      from: "clients/php",
      include: ["src", "autoload.php", "composer.json", "README.md"],
      to: "tollgate-php",
    },
    needs: "PHP 8.1 with its extensions curl and openssl",
    commands: ["php shop.php"],
    oncePublished: "tollgate/client of Packagist",
  },
  python: {
    file: "shop.py",
    library: { from: "clients/python/src/tollgate_client", include: [""], to: "tollgate_client" },
    needs: "Python 3.10 or newer",
    commands: [
      "python3 -m venv .venv && .venv/bin/pip install --quiet 'cryptography>=42'",
      ".venv/bin/python shop.py",
    ],
    oncePublished: "tollgate-client of PyPI",
  },
  go: {
    file: "shop.go",
    library: {
      from: "clients/go",
      include: [""],
      exclude:
        /(?:_test\.go|\.ts|LICENSE|CHANGELOG\.md|api-report\.txt)$|[/\\](?:dist|examples|tollgatetest)(?:[/\\]|$)/,
      to: "tollgate-go",
    },
    needs: "Go 1.24 or newer",
    commands: [
      "go mod init shop.example",
      `go mod edit -require=${goModule}@v0.0.0 -replace=${goModule}=./tollgate-go`,
      "go run shop.go",
    ],
    oncePublished: "the module of the library's README",
  },
};

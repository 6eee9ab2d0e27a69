# Hand-written code as of the old days: functions and data without type and size. Only
# directives and one instruction that every machine knows.
        .text
        .globl  main
        .type   main, %function
main:
        nop
        .size   main, .-main
        .globl  plain
plain:
        nop
inner_mark:
        nop
        .type   hidden, %function
hidden:
        nop
        .size   hidden, .-hidden
behind_hidden:
        nop
        .globl  last
last:
        nop
        .data
        .globl  sizeless
sizeless:
        .quad   0
        .section .note.GNU-stack,"",%progbits
